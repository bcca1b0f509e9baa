/** How many things of a kind are kept: enough for some of them to be good still. */
const KEPT = 20;

/**
 * What answers have said: lease tokens, cursors, ids. Requests that use them get further than ones that
 * make them up.
 */
export class Memory {
  readonly #seen = new Map<string, string[]>();
  readonly #leases: { readonly id: string; readonly token: string }[] = [];

  constructor(private readonly random: () => number) {}

  remember(what: string, value: string): void {
    const list = this.#seen.get(what) ?? [];
    list.push(value);
    if (list.length > KEPT) list.shift();
    this.#seen.set(what, list);
  }

  /** Puts what was seen in place of the marks of a text. The marks of one text speak of one lease. */
  fill(text: string): string {
    if (!text.includes("{{")) return text;
    const lease = this.#pick(this.#leases);
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_all, what: string) => {
      if (what === "leaseId") return lease?.id ?? "1";
      if (what === "leaseToken") return lease?.token ?? "nothing";
      return this.#pick(this.#seen.get(what) ?? []) ?? "none";
    });
  }

  learn(operation: string, text: string): void {
    if (!text.startsWith("{")) return;
    const body = JSON.parse(text) as Record<string, unknown>;
    if (operation === "claimJobs" && Array.isArray(body["jobs"])) {
      for (const { id, leaseToken } of body["jobs"] as { id: string; leaseToken: string }[]) {
        this.#leases.push({ id, token: leaseToken });
        if (this.#leases.length > KEPT) this.#leases.shift();
      }
    }
    this.#text("cursor", body["next"] ?? body["nextCursor"]);
    this.#text("previewToken", body["previewToken"]);
    if (operation === "startBulk") this.#text("operation", body["id"]);
    if (operation === "createToken") {
      this.#text("tokenId", body["id"]);
      this.#text("token", body["token"]);
    }
  }

  #text(what: string, value: unknown): void {
    if (typeof value === "string") this.remember(what, value);
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }
}
