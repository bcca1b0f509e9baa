import type { PostgresContext } from "../context.js";

export class JobSearch {
  constructor(private readonly context: PostgresContext) {}
}
