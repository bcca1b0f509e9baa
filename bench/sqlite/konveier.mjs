// node konveier.mjs full|normal JOBS
import { Konveier } from "../../dist/index.js";
import { measureKonveier } from "../konveier.mjs";
import { freshFile } from "./fresh-file.mjs";

const [, , synchronous, jobs] = process.argv;
await measureKonveier(await Konveier.open(`sqlite:${freshFile()}`, { synchronous }), Number(jobs), [200]);
