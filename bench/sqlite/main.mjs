// Konveier on SQLite beside plainjob, and beside its own statements without a queue around them.
//
//   npm run bench -- sqlite                the full form
//   npm run bench -- sqlite --quick        fewer jobs and rounds
//   npm run bench -- sqlite --json FILE    the results as JSON too
import { parseArgs } from "node:util";
import { contest } from "../contest.mjs";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, json: { type: "string" } } });

const contender = (name, program, args) => ({ name, program: new URL(program, import.meta.url), args });

contest({
  about: "concurrency 200",
  jobs: values.quick ? 60_000 : 200_000,
  rounds: values.quick ? 3 : 5,
  contenders: [
    contender("konveier, full", "konveier.mjs", ["full"]),
    contender("konveier, normal", "konveier.mjs", ["normal"]),
    contender("plainjob, normal (its default)", "plainjob.mjs", ["normal"]),
    contender("plainjob, full", "plainjob.mjs", ["full"]),
    contender("raw statements, full", "raw.mjs", ["full"]),
  ],
  ratios: [
    ["endToEnd", "konveier, full", "plainjob, normal (its default)"],
    ["endToEnd", "konveier, normal", "plainjob, normal (its default)"],
    ["drain", "konveier, full", "raw statements, full"],
  ],
  json: values.json,
});
