/** One frame of an event stream (server-sent events). */
export interface Frame {
  readonly event: string | null;
  readonly id: string | null;
  readonly retryMs: number | null;
  readonly data: string | null;
}

/** Frames of a body, as they arrive. One without any field, such as a heartbeat, is told too. */
export async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void, undefined> {
  // A reader: not every browser can iterate over a stream.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield frameOf(block);
    }
  } finally {
    await reader.cancel();
  }
}

function frameOf(block: string): Frame {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([a-z]+):? ?(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const before = fields.get(name);
    fields.set(name, name === "data" && before !== undefined ? `${before}\n${value}` : value);
  }
  const retry = Number(fields.get("retry") ?? Number.NaN);
  return {
    event: fields.get("event") ?? null,
    id: fields.get("id") ?? null,
    retryMs: Number.isFinite(retry) ? retry : null,
    data: fields.get("data") ?? null,
  };
}
