// node konveier.mjs JOBS
import { Konveier } from "../../dist/index.js";
import { measureKonveier } from "../konveier.mjs";
import { freshDatabase } from "./fresh-database.mjs";

const konveier = await Konveier.open(await freshDatabase("bench_konveier"));
await measureKonveier(konveier, Number(process.argv[2]), [1_000]);
