/** What the limits per key of a queue count a job under. */
export interface JobKeys {
  /** `null`: the job has none, and no concurrency per key holds it. */
  readonly concurrencyKey: string | null;
  /** `null`: the job has none, and no rate per key holds it. */
  readonly rateKey: string | null;
}

/** As one text, which is stored: keys have no line breaks. `null` for a job without keys. */
export function keysText({ concurrencyKey, rateKey }: JobKeys): string | null {
  return concurrencyKey === null && rateKey === null ? null : `${concurrencyKey ?? ""}\n${rateKey ?? ""}`;
}

export function parseKeys(text: string | null): JobKeys {
  const [concurrencyKey = "", rateKey = ""] = (text ?? "").split("\n");
  return {
    concurrencyKey: concurrencyKey === "" ? null : concurrencyKey,
    rateKey: rateKey === "" ? null : rateKey,
  };
}

/**
 * What a hold of scope `key` holds: the rate key, which is about what the upstream allows, else the other one. With its kind
 * before it, because the same text may be a key of both kinds. `null` for a job without keys.
 */
export function heldKey({ concurrencyKey, rateKey }: JobKeys): string | null {
  if (rateKey !== null) return `rate ${rateKey}`;
  return concurrencyKey === null ? null : `concurrency ${concurrencyKey}`;
}
