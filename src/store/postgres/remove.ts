import type { PostgresContext } from "./context.js";

export class Remove {
  constructor(private readonly context: PostgresContext) {}
}
