import { createInterface } from "node:readline";
import { CommandError } from "./command-error.js";
import { EXIT } from "./exit-codes.js";

/**
 * Resolves when a person at a terminal says yes.
 *
 * @param question without its mark
 * @throws CommandError code 2 when the answer is no, or there is nobody to ask; 130 after Ctrl-C
 */
export async function confirm(question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return;
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new CommandError(`${question}? Nothing was changed: say so with --yes`, EXIT.usage);
  }
  const answer = await ask(`${question}? [y/N] `);
  if (answer === null) throw new CommandError("nothing was changed", EXIT.interrupted);
  if (!/^(y|yes)$/i.test(answer.trim())) throw new CommandError("nothing was changed", EXIT.usage);
}

/** `null`: Ctrl-C, or the end of the input. */
function ask(question: string): Promise<string | null> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    prompt.once("close", () => {
      resolve(null);
    });
    prompt.question(question, (answer) => {
      resolve(answer);
      prompt.close();
    });
  });
}
