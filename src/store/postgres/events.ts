import type { PostgresContext } from "./context.js";

export class PostgresEvents {
  constructor(private readonly context: PostgresContext) {}
}
