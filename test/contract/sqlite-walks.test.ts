import { describe } from "vitest";
import { sqliteStores } from "../support/sqlite-factory.js";
import { Contract } from "./contract.js";
import { searchContract } from "./search.js";

// With few jobs, SQLite would read all candidates at once. This makes it walk, as it does with many.
describe.each([0, 60])("SQLite store with small sets of %i", (smallSet) => {
  searchContract(new Contract(sqliteStores({ smallSet }), {}));
});
