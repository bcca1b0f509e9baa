import type { PostgresContext } from "./context.js";

export class PostgresMaintenance {
  constructor(private readonly context: PostgresContext) {}
}
