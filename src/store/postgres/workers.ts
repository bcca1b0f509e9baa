import type { PostgresContext } from "./context.js";

export class PostgresWorkers {
  constructor(private readonly context: PostgresContext) {}
}
