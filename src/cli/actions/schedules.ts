import type { ScheduleBody } from "../../api/schedule.js";
import { CommandError } from "../command-error.js";
import { connect } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { namingArguments } from "../input/argument-faults.js";
import { payloadOf, type PayloadFlags } from "../input/json-text.js";
import { firstOf } from "../output/first-of.js";
import type { RemoteFlags } from "../remote-flags.js";
import { jobList } from "../views/job.js";
import { appliedList, scheduleDetail, scheduleList, slotList, slotsOf } from "../views/schedule.js";

export async function listSchedules({ limit, ...flags }: RemoteFlags & { limit: number }): Promise<ExitCode> {
  const { client, output } = connect(flags);
  await output.list(firstOf(client.schedules.list(), limit), scheduleList(Date.now()));
  return EXIT.ok;
}

export async function getSchedule(key: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.schedules.get(key), scheduleDetail(Date.now()));
  return EXIT.ok;
}

export interface PutFlags extends RemoteFlags, PayloadFlags {
  readonly cron?: string;
  readonly every?: number;
  readonly timezone?: string;
  readonly name: string;
  readonly queue?: string;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly timeout?: number;
  readonly tag?: readonly string[];
  readonly missed?: ScheduleBody["missed"];
  readonly maxMissed?: number;
  readonly overlap?: ScheduleBody["overlap"];
  readonly jitter?: number;
  readonly startAt?: string;
  readonly endAt?: string;
}

const ARGUMENTS = {
  "/key": "the key",
  "/cron": "--cron:",
  "/everyMs": "--every",
  "/timezone": "--timezone",
  "/startAt": "--start-at",
  "/endAt": "--end-at",
  "/jitterMs": "--jitter",
  "/job/name": "--name",
  "/job/queue": "--queue",
  "/job/payload": "the payload",
  "/job/timeoutMs": "--timeout",
  "/job/tags": "--tag",
};

export async function putSchedule(key: string, flags: PutFlags): Promise<ExitCode> {
  if ((flags.cron === undefined) === (flags.every === undefined)) {
    throw new CommandError("say when: either --cron or --every", EXIT.usage);
  }
  if (key === "preview") throw new CommandError('the key "preview" is taken: choose another', EXIT.usage);
  const schedule = scheduleOf(flags, await payloadOf(flags));
  const { client, output } = connect(flags);
  const put = namingArguments(ARGUMENTS, client.schedules.put(key, schedule));
  output.one(await put, scheduleDetail(Date.now()));
  return EXIT.ok;
}

function scheduleOf(flags: PutFlags, payload: unknown): ScheduleBody {
  const { name, queue, priority, maxAttempts, timeout: timeoutMs, tag } = flags;
  const {
    cron,
    every: everyMs,
    timezone,
    missed,
    maxMissed,
    overlap,
    jitter: jitterMs,
    startAt,
    endAt,
  } = flags;
  const job = given({ name, payload, queue, priority, maxAttempts, timeoutMs, tags: tag });
  const rule = given({ cron, everyMs, timezone, missed, maxMissed, overlap, jitterMs, startAt, endAt });
  return { ...rule, job } as ScheduleBody;
}

/** Without the fields that were not given: the server's defaults are for those. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

type ReasonFlags = RemoteFlags & { readonly reason?: string };

export async function pauseSchedule(key: string, { reason, ...flags }: ReasonFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.schedules.pause(key, reason), scheduleDetail(Date.now()));
  return EXIT.ok;
}

export async function resumeSchedule(key: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.schedules.resume(key), scheduleDetail(Date.now()));
  return EXIT.ok;
}

export async function runSchedule(key: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const job = await client.schedules.run(key);
  if (job.deduplicated === true) output.message(`Its job ${job.id} is there already.`);
  await output.list([job], jobList(Date.now()));
  return EXIT.ok;
}

export async function deleteSchedule(key: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  await client.schedules.delete(key);
  await output.list([{ key, action: "deleted" }], appliedList);
  return EXIT.ok;
}

type PreviewFlags = RemoteFlags & {
  readonly timezone?: string;
  readonly count: number;
  readonly after?: string;
};

export async function previewSchedule(
  cron: string,
  { timezone, count, after, ...flags }: PreviewFlags,
): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const place = { ...(timezone !== undefined && { timezone }), ...(after !== undefined && { after }) };
  const names = { "/cron": "the expression:", "/timezone": "--timezone" };
  const preview = await namingArguments(names, client.schedules.preview({ cron, count, ...place }));
  await output.list(slotsOf(preview), slotList(Date.now()));
  return EXIT.ok;
}
