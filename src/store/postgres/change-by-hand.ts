import type { PostgresContext } from "./context.js";

export class ChangeByHand {
  constructor(private readonly context: PostgresContext) {}
}
