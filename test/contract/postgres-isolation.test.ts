import { describe } from "vitest";
import { postgresStores } from "../support/postgres-factory.js";
import { claimContract } from "./claim.js";
import { Contract } from "./contract.js";
import { operationsContract } from "./operations.js";
import { racesContract } from "./races.js";
import { rollUpsContract } from "./roll-ups.js";
import { schedulesContract } from "./schedules.js";

// A database or a role may have another default than PostgreSQL itself: nobody is told of a conflict because of it.
function contractAt(level: string): Contract {
  return new Contract(postgresStores({}, `default_transaction_isolation=${level}`), {});
}

describe("PostgreSQL store with repeatable read by default", () => {
  racesContract(contractAt("repeatable\\ read"));
});

describe("PostgreSQL store with serializable by default", () => {
  const contract = contractAt("serializable");
  racesContract(contract);
  claimContract(contract);
  operationsContract(contract);
  rollUpsContract(contract);
  schedulesContract(contract);
});
