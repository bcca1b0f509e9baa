import type { PostgresContext } from "./context.js";

export class PostgresSchedules {
  constructor(private readonly context: PostgresContext) {}
}
