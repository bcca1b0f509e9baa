import { describe } from "vitest";
import { postgresStores } from "../support/postgres-factory.js";
import { Contract } from "./contract.js";
import { racesContract } from "./races.js";

// A database or a role may have another default than PostgreSQL itself: nobody is told of a conflict because of it.
describe.each(["repeatable\\ read", "serializable"])("PostgreSQL store with %s by default", (level) => {
  racesContract(new Contract(postgresStores({}, `default_transaction_isolation=${level}`), {}));
});
