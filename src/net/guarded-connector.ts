import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { buildConnector } from "undici";
import { refusal } from "./check-public-url.js";
import { NotPublicError } from "./not-public-error.js";
import type { PrivateHosts } from "./private-hosts.js";
import { isPublicAddress } from "./public-address.js";

/** All addresses of a name, as `dns.lookup` with `all` gives them. */
export type LookupAll = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface GuardedConnectorOptions {
  readonly allowed: PrivateHosts;
  readonly lookup?: LookupAll;
  /** Makes a connector that asks the given lookup; `undici`'s own. */
  connect(lookup: LookupFunction): buildConnector.connector;
}

/**
 * Connects to public addresses only. Three looks, since none sees everything: at the host itself, for which nothing is looked up where it is
 * an address; at all addresses of a name, of which one that is not public refuses the rest; and at the peer, whoever it turns out to be.
 */
export function guardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { allowed, lookup = allAddresses, connect } = options;
  const open = connect(lookupThrough(lookup, () => true));
  const guarded = connect(lookupThrough(lookup, isPublicAddress));
  return (target, callback) => {
    const url = new URL(`${target.protocol}//${bracketed(target.hostname)}${target.port && `:${target.port}`}`);
    if (allowed.allows(url)) return open(target, callback);
    const problem = refusal(url, allowed);
    if (problem !== null) return callback(new NotPublicError(problem), null);
    guarded(target, (error, socket) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? "")) return callback(null, socket);
      socket.destroy();
      callback(new NotPublicError(`${url.host} turned out not to be a public host`), null);
    });
  };
}

/** Gives `net.connect` the addresses that were looked at, so that a name cannot stand for others a moment later. */
function lookupThrough(lookup: LookupAll, passes: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const first = addresses[0];
        if (!first) return callback(new Error(`${hostname} has no address`), []);
        if (!addresses.every(({ address }) => passes(address))) {
          return callback(new NotPublicError(`${hostname} does not stand for a public host`), []);
        }
        if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

function allAddresses(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

function bracketed(hostname: string): string {
  return isIP(hostname) === 6 ? `[${hostname}]` : hostname;
}
