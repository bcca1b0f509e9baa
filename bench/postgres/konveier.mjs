// node konveier.mjs JOBS
import { Konveier } from "../../dist/index.js";
import { measureKonveier } from "../konveier.mjs";
import { freshDatabase } from "./fresh-database.mjs";

await measureKonveier(
  await Konveier.open(await freshDatabase("bench_konveier")),
  Number(process.argv[2]),
  1000,
);
