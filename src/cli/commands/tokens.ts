import type { Command } from "commander";
import { ALL_SCOPES } from "../../core/access.js";
import { durationOption, laterOption } from "../input/durations.js";
import { listOption } from "../input/options.js";
import { FORMATS } from "../output/formats.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

const load = () => import("../actions/tokens.js");

export function addTokens(program: Command): void {
  const tokens = program.command("tokens").description("make tokens, look at them and end them");

  const create = tokens
    .command("create")
    .description("make a token; its text is shown once")
    .requiredOption("--name <text>", "what it is for")
    .requiredOption("--scope <list>", `what it may do: ${ALL_SCOPES.join(", ")}`, listOption)
    .option("--queue <list>", "queues that it covers, with * for any text; default all", listOption)
    .option(
      "--expires <when>",
      "when it ends, such as 90d or 2026-12-31T00:00:00Z; default never",
      laterOption,
    )
    .action(lazily(async () => (await load()).createToken));
  addPlaceOptions(create);
  addExamples(
    create,
    "konveier tokens create --name mailer --scope worker --queue 'email*' --expires 90d",
    "konveier tokens create --name me --scope admin --database sqlite:./data/konveier.db",
  );

  const list = tokens
    .command("list")
    .description("all tokens, newest first, also those that are over")
    .action(lazily(async () => (await load()).listTokens));
  addPlaceOptions(list);
  addExamples(
    list,
    "konveier tokens list",
    "konveier tokens list -o jsonl | jq 'select(.lastUsedAt == null) | .name'",
  );

  const revoke = tokens
    .command("revoke <id>")
    .description("refuse a token from now on")
    .action(lazily(async () => (await load()).revokeToken));
  addPlaceOptions(revoke);
  addExamples(
    revoke,
    "konveier tokens revoke k3v9x2ab",
    "konveier tokens revoke k3v9x2ab --database sqlite:./data/konveier.db",
  );

  const rotate = tokens
    .command("rotate <id>")
    .description("make a token with the same rights; the old one goes on for a while")
    .option("--overlap <duration>", "for how long, default 1d", durationOption)
    .action(lazily(async () => (await load()).rotateToken));
  addPlaceOptions(rotate);
  addExamples(
    rotate,
    "konveier tokens rotate k3v9x2ab",
    "konveier tokens rotate k3v9x2ab --overlap 2h -o json",
  );
}

function addPlaceOptions(command: Command): void {
  command
    .optionsGroup("Server:")
    .option("--database <url>", "work on the database itself, when no admin token is left");
  addRemoteOptions(command, FORMATS);
}
