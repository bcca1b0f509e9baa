import type { PostgresContext } from "./context.js";

export class PostgresOperations {
  constructor(private readonly context: PostgresContext) {}
}
