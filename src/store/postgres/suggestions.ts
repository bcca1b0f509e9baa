import type { PostgresContext } from "./context.js";

export class PostgresSuggestions {
  constructor(private readonly context: PostgresContext) {}
}
