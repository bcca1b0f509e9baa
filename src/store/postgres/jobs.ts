import type { PostgresContext } from "./context.js";

export class PostgresJobs {
  constructor(private readonly context: PostgresContext) {}
}
