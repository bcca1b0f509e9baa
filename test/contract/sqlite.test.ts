import { sqliteFactory } from "../support/sqlite-factory.js";
import { describeStore } from "./suite.js";

describeStore("SQLite", sqliteFactory);
