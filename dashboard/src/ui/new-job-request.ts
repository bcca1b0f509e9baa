/** A job as it is written into the form: all text, and nothing of it has been read as a number yet. */
export interface NewJob {
  readonly queue: string;
  readonly name: string;
  readonly payload: string;
  readonly delay: string;
  readonly delayUnitMs: number;
  readonly priority: string;
  readonly maxAttempts: string;
  readonly tags: string;
  readonly idempotencyKey: string;
}

export type NewJobField = Exclude<keyof NewJob, "delayUnitMs">;
export type NewJobFault = "required" | "wholeNumber" | "notJson";

const WHOLE = /^\d{1,15}$/;

/** What cannot be sent as it is. Everything else is for the server to judge. */
export function faultsOf(job: NewJob): Partial<Record<NewJobField, NewJobFault>> {
  const faults: Partial<Record<NewJobField, NewJobFault>> = {};
  if (job.name.trim() === "") faults.name = "required";
  // Something that is no JSON would become a part of the body around it.
  if (!isJson(job.payload)) faults.payload = "notJson";
  for (const field of ["delay", "priority", "maxAttempts"] as const) {
    if (job[field].trim() !== "" && !WHOLE.test(job[field].trim())) faults[field] = "wholeNumber";
  }
  return faults;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === "";
  }
}

/**
 * The body of the request, as text: the payload stands in it as it was written, so that the server gets 1.0 and
 * 9007199254740993 and not what a script makes of them. It is JSON only when the job has no faults.
 */
export function bodyOf(job: NewJob): string {
  const { delayUnitMs, delay, payload } = job;
  const tags = tagsOf(job.tags);
  const fields = [
    `"name": ${JSON.stringify(job.name.trim())}`,
    ...given("queue", job.queue, JSON.stringify),
    ...given("payload", payload),
    ...given("delayMs", delay, (text) => (WHOLE.test(text) ? String(Number(text) * delayUnitMs) : text)),
    ...given("priority", job.priority, String),
    ...given("maxAttempts", job.maxAttempts, String),
    ...(tags.length === 0 ? [] : [`"tags": ${JSON.stringify(tags)}`]),
    ...given("idempotencyKey", job.idempotencyKey, JSON.stringify),
  ];
  return `{${fields.join(", ")}}`;
}

function given(name: string, text: string, write: (text: string) => string = String): readonly string[] {
  return text.trim() === "" ? [] : [`"${name}": ${write(text.trim())}`];
}

function tagsOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** The same call for a shell. The token comes from its environment. */
export function curlOf(url: string, body: string): string {
  return [
    `curl -s ${quoted(url)}`,
    `  -H "Authorization: Bearer $API_TOKEN"`,
    `  -H "Content-Type: application/json"`,
    `  -d ${quoted(body)}`,
  ].join(" \\\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const FIELD_OF: Readonly<Record<string, NewJobField>> = {
  queue: "queue",
  name: "name",
  payload: "payload",
  delayMs: "delay",
  priority: "priority",
  maxAttempts: "maxAttempts",
  tags: "tags",
  idempotencyKey: "idempotencyKey",
};

/** The field of the form that a fault's pointer means. */
export function fieldAt(pointer: string): NewJobField | null {
  const [, first = ""] = pointer.split("/");
  return FIELD_OF[first] ?? null;
}

/** A key that no other form has. `randomUUID` would need a secure context. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `ui-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
