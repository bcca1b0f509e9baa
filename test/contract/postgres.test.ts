import { postgresFactory } from "../support/postgres-factory.js";
import { describeStore } from "./suite.js";

describeStore("PostgreSQL", postgresFactory);
