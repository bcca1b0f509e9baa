import type { ScheduleBody } from "../../api/schedule.js";
import { ApiError } from "../../client/errors.js";
import { CommandError } from "../command-error.js";
import { confirm } from "../confirm.js";
import { connect, type Session } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { failureOf } from "../failure.js";
import { parseJson, readText } from "../input/json-text.js";
import type { RemoteFlags } from "../remote-flags.js";
import { appliedList } from "../views/schedule.js";

export interface ApplyFlags extends RemoteFlags {
  readonly file: string;
  readonly prune?: boolean;
  readonly yes?: boolean;
}

/** Makes the schedules of the server those of a file. Nothing is changed before every question is answered. */
export async function applySchedules({ file, prune, yes, ...flags }: ApplyFlags): Promise<ExitCode> {
  const session = connect(flags);
  const schedules = schedulesIn(parseJson(await readText(file), file), file);
  const surplus = prune === true ? await surplusOf(session, new Set(schedules.keys())) : [];
  if (surplus.length > 0) {
    const count = surplus.length === 1 ? "1 schedule that is" : `${surplus.length} schedules that are`;
    await confirm(`Delete ${count} not in ${file}: ${surplus.join(", ")}`, yes);
  }
  const written = new Written(session, schedules, surplus);
  await session.output.list(written.run(), appliedList);
  return written.exitCode;
}

function schedulesIn(value: unknown, file: string): ReadonlyMap<string, ScheduleBody> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return new Map(Object.entries(value) as [string, ScheduleBody][]);
  }
  throw new CommandError(`${file} must hold an object with schedules by their keys`, EXIT.usage);
}

/** Schedules from code come back at the next start of their program, so they are left alone. */
async function surplusOf({ client }: Session, wanted: ReadonlySet<string>): Promise<readonly string[]> {
  const surplus: string[] = [];
  for await (const { key, source } of client.schedules.list()) {
    if (source === "api" && !wanted.has(key)) surplus.push(key);
  }
  return surplus;
}

/** Writes all, telling what the server refuses, and deletes the rest only when nothing was refused. */
class Written {
  exitCode: ExitCode = EXIT.ok;

  constructor(
    private readonly session: Session,
    private readonly schedules: ReadonlyMap<string, ScheduleBody>,
    private readonly surplus: readonly string[],
  ) {}

  async *run() {
    const { client } = this.session;
    for (const [key, schedule] of this.schedules) {
      try {
        await client.schedules.put(key, schedule);
        yield { key, action: "written" } as const;
      } catch (error) {
        this.#refused(key, error);
      }
    }
    if (this.exitCode !== EXIT.ok) return;
    for (const key of this.surplus) {
      await client.schedules.delete(key);
      yield { key, action: "deleted" } as const;
    }
  }

  #refused(key: string, error: unknown): void {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    console.error(`konveier: ${key}: ${failureOf(error).text}`);
    this.exitCode = EXIT.partial;
  }
}
