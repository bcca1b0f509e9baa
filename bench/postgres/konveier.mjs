// node konveier.mjs JOBS
//
// Two workers: while the database takes jobs for one, this process runs those of the other.
import { Konveier } from "../../dist/index.js";
import { measureKonveier } from "../konveier.mjs";
import { freshDatabase } from "./fresh-database.mjs";

const CONCURRENCIES = [500, 500];

const konveier = await Konveier.open(await freshDatabase("bench_konveier"));
await measureKonveier(konveier, Number(process.argv[2]), CONCURRENCIES);
