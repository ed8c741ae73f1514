import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { buildConnector } from "undici";
import { findUrlProblem } from "./check-public-url.js";
import { NotPublicError } from "./not-public-error.js";
import type { PrivateHosts } from "./private-hosts.js";
import { isPublicAddress } from "./public-address.js";

/** Resolves a name to all its addresses, like `dns.lookup` with `all`. */
export type LookupAll = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface GuardedConnectorOptions {
  readonly allowed: PrivateHosts;
  readonly lookup?: LookupAll;
  /** Creates a connector with the given lookup; `undici`'s `buildConnector`. */
  connect(lookup: LookupFunction): buildConnector.connector;
}

/**
 * Creates a connector that connects to public addresses only. It checks three things: the host itself, since IP
 * addresses are not looked up; all addresses of a name, rejecting the name if any address is private; and the address
 * of the connected peer.
 */
export function guardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { allowed, lookup = lookupSystem, connect } = options;
  const connectUnchecked = connect(checkedLookup(lookup, () => true));
  const connectChecked = connect(checkedLookup(lookup, isPublicAddress));
  return (target, callback) => {
    const url = new URL(`${target.protocol}//${toUrlHost(target.hostname)}${target.port && `:${target.port}`}`);
    if (allowed.allows(url)) return connectUnchecked(target, callback);
    const problem = findUrlProblem(url, allowed);
    if (problem !== null) return callback(new NotPublicError(problem), null);
    connectChecked(target, (error, socket) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? "")) return callback(null, socket);
      socket.destroy();
      callback(new NotPublicError(`${url.host} connected to an address that is not public`), null);
    });
  };
}

/** Wraps a lookup to return checked addresses to `net.connect`: a second lookup could differ (DNS rebinding). */
function checkedLookup(lookup: LookupAll, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const first = addresses[0];
        if (!first) return callback(new Error(`${hostname} has no address`), []);
        if (!addresses.every(({ address }) => isAllowed(address))) {
          return callback(new NotPublicError(`${hostname} resolves to an address that is not public`), []);
        }
        if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

function lookupSystem(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

function toUrlHost(hostname: string): string {
  return isIP(hostname) === 6 ? `[${hostname}]` : hostname;
}
