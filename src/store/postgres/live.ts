import type { PostgresContext } from "./context.js";

export class PostgresLive {
  constructor(private readonly context: PostgresContext) {}
}
