import { DEFAULT_LIMITS, type FetchLimits } from "./fetch-limits.js";
import { GuardedCall } from "./guarded-call.js";
import type { LookupAll } from "./guarded-connector.js";
import { type PrivateHostPredicate, parseFetchArguments } from "./parse-fetch-arguments.js";
import { PrivateHosts } from "./private-hosts.js";
import { createTransport, type Transport } from "./transport.js";

export interface GuardedFetchOptions {
  /** Private hosts that may be called. A host with a port may be called only at that port. @default none */
  readonly allowPrivateHosts?: readonly string[];
  /** Default limits of calls. @default {@link DEFAULT_LIMITS} */
  readonly limits?: Partial<FetchLimits>;
  /** Connection timeout in milliseconds. @default 5000 */
  readonly connectMs?: number;
  /** Resolves names. @default the system's resolver */
  readonly lookup?: LookupAll;
}

export interface GuardedInit extends RequestInit {
  /** Overrides for the default limits. */
  readonly limits?: Partial<FetchLimits>;
  /** Which of the allowed private hosts this call and its redirects may reach. @default all of them */
  readonly mayReachPrivateHost?: PrivateHostPredicate;
}

/** A `fetch` with limits that reaches public hosts only. */
export interface GuardedFetch {
  (input: string | URL | Request, init?: GuardedInit): Promise<Response>;
  /** Closes all connections, including those in use. */
  close(): Promise<void>;
}

/**
 * Creates a `fetch` for untrusted URLs. It allows only http and https, and only public and explicitly allowed hosts;
 * checks every redirect like the first URL; sends only harmless headers to another origin; and limits all times and
 * sizes.
 *
 * Unlike `fetch`, it accepts credentials in the URL (as Basic authentication), buffers the request body before sending,
 * and rejects a redirect that would send that body to another origin. Proxy environment variables are ignored.
 *
 * Calls reject with the reason of the caller's signal, or with a KnowledgeBaseError: `invalid_input` for a URL that is
 * not allowed, `limit_exceeded` for a body that is too large, `provider_failed` otherwise. A name that resolves to a
 * private address, a closed port and a server that doesn't speak HTTP give the same message; `cause` has the details.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { allowPrivateHosts = [], connectMs = 5000, lookup } = options;
  const allowed = new PrivateHosts(allowPrivateHosts);
  const defaults = { ...DEFAULT_LIMITS, ...options.limits };
  let transport: Promise<Transport> | null = null;
  const openTransport = () => {
    transport ??= createTransport({ allowed, connectMs, ...(lookup && { lookup }) });
    return transport;
  };

  const call = async (input: string | URL | Request, init: GuardedInit = {}): Promise<Response> => {
    const { limits: overrides, mayReachPrivateHost, ...request } = init;
    const limits = { ...defaults, ...overrides };
    const { hop, signal, redirect } = await parseFetchArguments(input, request, { allowed, mayReachPrivateHost });
    const { send } = await openTransport();
    return new GuardedCall({ send, allowed, mayReachPrivateHost, limits, signal }).run(hop, redirect);
  };
  return Object.assign(call, { close: async () => (await transport)?.close() });
}
