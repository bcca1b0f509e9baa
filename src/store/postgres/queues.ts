import type { PostgresContext } from "./context.js";

export class PostgresQueues {
  constructor(private readonly context: PostgresContext) {}
}
