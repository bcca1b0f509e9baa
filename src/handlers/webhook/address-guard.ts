import { isIP, type LookupFunction } from "node:net";
import { NonRetryableError } from "../../core/outcomes.js";
import type { AddressPolicy } from "./address-policy.js";

const LOOPBACK = ["127.0.0.1", "::1"];
/** Loopback by definition (RFC 6761), whatever a resolver makes of them. */
const LOCALHOST_NAME = /^(?:.+\.)?localhost\.?$/;

/** Ends the job: an address that is refused now is refused at the next attempt as well. */
export function addressRefused(address: string, host: string): NonRetryableError {
  return new NonRetryableError(
    `address ${address} of host ${host} is not public; allow it with KONVEIER_WEBHOOK_ALLOW_CIDRS`,
  );
}

/** The host of `url` as the network takes it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * The refusal of a host whose address is known without a lookup, or `null`.
 * Node never calls `lookup` for an address, so the lookup's guard does not see it.
 */
export function refusalWithoutLookup(host: string, permits: AddressPolicy): NonRetryableError | null {
  const addresses = isIP(host) !== 0 ? [host] : LOCALHOST_NAME.test(host) ? LOOPBACK : [];
  if (addresses.length === 0 || addresses.some(permits)) return null;
  return addressRefused(addresses[0] ?? host, host);
}

/**
 * A lookup that answers only with permitted addresses. Fails with the refusal when none is left.
 * The connection goes to an address of this very answer, so a name cannot change between check and use.
 */
export function guardedLookup(permits: AddressPolicy, lookup: LookupFunction): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, answer, family) => {
      if (error) {
        callback(error, []);
        return;
      }
      const answers =
        typeof answer === "string" ? [{ address: answer, family: family ?? isIP(answer) }] : answer;
      const permitted = answers.filter(({ address }) => permits(address));
      const [first] = permitted;
      if (first === undefined) callback(noAddress(host, answers[0]?.address), []);
      else if (options.all === true) callback(null, permitted);
      else callback(null, first.address, first.family);
    });
  };
}

function noAddress(host: string, refused: string | undefined): Error {
  return refused === undefined ? new Error(`host ${host} has no address`) : addressRefused(refused, host);
}
