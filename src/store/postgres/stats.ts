import type { PostgresContext } from "./context.js";

export class PostgresStats {
  constructor(private readonly context: PostgresContext) {}
}
