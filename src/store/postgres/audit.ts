import type { PostgresContext } from "./context.js";

export class PostgresAudit {
  constructor(private readonly context: PostgresContext) {}
}
