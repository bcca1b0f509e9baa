import type { PostgresContext } from "./context.js";

export class PostgresTokens {
  constructor(private readonly context: PostgresContext) {}
}
