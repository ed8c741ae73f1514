import { DEFAULT_LIMITS, type FetchLimits } from "./fetch-limits.js";
import { GuardedCall } from "./guarded-call.js";
import type { LookupAll } from "./guarded-connector.js";
import { PrivateHosts } from "./private-hosts.js";
import { type MayReach, readRequest } from "./read-request.js";
import { type Transport, transport } from "./transport.js";

export interface GuardedFetchOptions {
  /** Hosts that may be called though they are not public, with a port or at every port. @default none */
  readonly allowPrivateHosts?: readonly string[];
  /** Of calls that name none of their own. @default {@link DEFAULT_LIMITS} */
  readonly limits?: Partial<FetchLimits>;
  /** How long connecting may take, in milliseconds. @default 5000 */
  readonly connectMs?: number;
  /** Finds the addresses of a name. @default the system's */
  readonly lookup?: LookupAll;
}

export interface GuardedInit extends RequestInit {
  /** Of this call, over those of the fetch. */
  readonly limits?: Partial<FetchLimits>;
  /** Which of the private hosts that are allowed this call may come to, by itself and by redirects. @default all of them */
  readonly privateHosts?: MayReach;
}

/** A `fetch` that reaches public hosts only, and ends. */
export interface GuardedFetch {
  (input: string | URL | Request, init?: GuardedInit): Promise<Response>;
  /** Closes its connections, those in use as well. */
  close(): Promise<void>;
}

/**
 * Makes a `fetch` for addresses that somebody else chose: only http and https, only public hosts and those that are allowed by name, each
 * redirect looked at like the first address, nothing but harmless headers to another origin, and every wait and size bounded.
 *
 * Other than `fetch` it takes a name and password in the address (as Basic authentication), reads the request's body whole before it
 * sends, and refuses a redirect that would hand that body to another origin. No proxy of the environment is used.
 *
 * Its calls throw what the caller's signal was aborted with, and KnowledgeBaseErrors: `invalid_input` for an address that is refused as
 * it stands, `limit_exceeded` for a body that is too large, `provider_failed` for the rest. A host that is not public by its name's
 * addresses, a port that is closed and one that doesn't speak HTTP all give the same message; what it was stands in `cause`.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { allowPrivateHosts = [], connectMs = 5000, lookup } = options;
  const allowed = new PrivateHosts(allowPrivateHosts);
  const defaults = { ...DEFAULT_LIMITS, ...options.limits };
  let opening: Promise<Transport> | null = null;
  const open = () => {
    opening ??= transport({ allowed, connectMs, ...(lookup && { lookup }) });
    return opening;
  };

  const call = async (input: string | URL | Request, init: GuardedInit = {}): Promise<Response> => {
    const { limits: given, privateHosts, ...request } = init;
    const limits = { ...defaults, ...given };
    const { hop, signal, redirect } = await readRequest(input, request, { allowed, privateHosts });
    return new GuardedCall({ ...(await open()), allowed, privateHosts, limits, signal }).run(hop, redirect);
  };
  return Object.assign(call, { close: async () => (await opening)?.close() });
}
