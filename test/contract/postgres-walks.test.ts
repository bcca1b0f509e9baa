import { describe } from "vitest";
import { postgresStores } from "../support/postgres-factory.js";
import { Contract } from "./contract.js";
import { searchContract } from "./search.js";

// With few jobs, a search would read all candidates at once. This makes it walk, as it does with many.
describe.each([0, 60])("PostgreSQL store with small sets of %i", (smallSet) => {
  searchContract(new Contract(postgresStores({ smallSet }), {}));
});
