/** So that a flood of addresses cannot fill the memory. */
const MAX_ADDRESSES = 10_000;

/**
 * Which tokens were right from which address. Behind one proxy all clients have one address: while somebody
 * there guesses tokens, those that were right before go on.
 */
export class KnownClients {
  readonly #tokens = new Map<string, Set<string>>();

  has(ip: string, tokenId: string): boolean {
    return this.#tokens.get(ip)?.has(tokenId) === true;
  }

  add(ip: string, tokenId: string): void {
    const tokens = this.#tokens.get(ip);
    if (tokens !== undefined) {
      tokens.add(tokenId);
      return;
    }
    this.#tokens.set(ip, new Set([tokenId]));
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_ADDRESSES && oldest !== undefined) this.#tokens.delete(oldest);
  }
}
