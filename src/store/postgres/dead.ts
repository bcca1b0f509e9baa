import type { PostgresContext } from "./context.js";

export class PostgresDead {
  constructor(private readonly context: PostgresContext) {}
}
