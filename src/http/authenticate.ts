import type { KnowledgeBase } from "../index.js";
import { HttpError } from "./errors.js";
import type { Caller } from "./route.js";

/** How long an answer about a key is believed: a revoked one stops within this time. */
const CACHE_MS = 2000;
const CACHE_SIZE = 1000;
/** Longer than any key of ours: what exceeds it is not even looked up. */
const MAX_KEY_LENGTH = 256;

/** Tells who makes a request; null where nobody that is known does. */
export type Authenticate = (request: Request) => Promise<Caller | null> | Caller | null;

/** By the knowledge base's own API keys, in `Authorization: Bearer …`. */
export function apiKeyAuthentication(kb: KnowledgeBase): Authenticate {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>();
  return async (request) => {
    const key = bearerToken(request.headers);
    if (key === null) return null;
    const cached = known.get(key);
    if (cached && performance.now() < cached.until) return cached.caller;
    known.delete(key);
    const caller = await kb.verifyApiKey(key);
    if (!caller) return null;
    if (known.size >= CACHE_SIZE) known.delete(known.keys().next().value!);
    known.set(key, { caller, until: performance.now() + CACHE_MS });
    return caller;
  };
}

/** RFC 6750. Two headers reach us as one with a comma, which no token has. */
function bearerToken(headers: Headers): string | null {
  const [, token] = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return token === undefined || token.length > MAX_KEY_LENGTH ? null : token;
}

/** @throws HttpError 401 */
export async function requireCaller(authenticate: Authenticate, request: Request): Promise<Required<Caller>> {
  // Without its body: whoever decides about a request must not use it up.
  const { url, method, headers } = request;
  const caller = await authenticate(new Request(url, { method: shownMethod(method), headers }));
  if (!caller)
    throw new HttpError(401, "The request has no valid API key.", { headers: { "www-authenticate": "Bearer" } });
  return { organizationId: caller.organizationId, scope: caller.scope ?? "admin" };
}

/** No `Request` can be made that says TRACE; no route takes it either, so nobody is let in by this. */
function shownMethod(method: string): string {
  return method === "TRACE" ? "GET" : method;
}
