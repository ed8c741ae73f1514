import { createHash } from "node:crypto";
import type { KnowledgeBase } from "../index.js";
import { LruCache } from "../util/lru-cache.js";
import { HttpError } from "./errors.js";
import type { Caller } from "./route.js";

/** Who makes a request, and by which API key: null where the host has authenticated the request itself. */
export interface AuthenticatedCaller extends Required<Caller> {
  readonly keyId: string | null;
}

/** A revoked key stops working within `ttlMs`. */
const KEY_CACHE = { ttlMs: 2000, maxEntries: 1000 };
/** Longer than any key of ours: what exceeds it is not even looked up. */
const MAX_KEY_LENGTH = 256;

/** Tells who makes a request; null where nobody that is known does. */
export type Authenticate = (request: Request) => Promise<Caller | null> | Caller | null;

/** By the knowledge base's own API keys, in `Authorization: Bearer …`. */
export function apiKeyAuthentication(kb: KnowledgeBase): (request: Request) => Promise<AuthenticatedCaller | null> {
  const known = new LruCache<string, AuthenticatedCaller>(KEY_CACHE);
  return async (request) => {
    const key = bearerToken(request.headers);
    if (key === null) return null;
    const digest = createHash("sha256").update(key).digest("base64");
    const cached = known.get(digest);
    if (cached) return cached;
    const apiKey = await kb.verifyApiKey(key);
    if (!apiKey) return null;
    const caller = { organizationId: apiKey.organizationId, scope: apiKey.scope, keyId: apiKey.id };
    known.set(digest, caller);
    return caller;
  };
}

/** RFC 6750. Two headers reach us as one with a comma, which no token has. */
function bearerToken(headers: Headers): string | null {
  const [, token] = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return token === undefined || token.length > MAX_KEY_LENGTH ? null : token;
}

/** The host's own way, which gets the request without its body: whoever decides about a request must not use it up. */
export function hostAuthentication(
  authenticate: Authenticate,
): (request: Request) => Promise<AuthenticatedCaller | null> {
  return async ({ url, method, headers }) => {
    const caller = await authenticate(new Request(url, { method: shownMethod(method), headers }));
    return caller && { organizationId: caller.organizationId, scope: caller.scope ?? "admin", keyId: null };
  };
}

/** @throws HttpError 401 */
export async function requireCaller(
  authenticate: (request: Request) => Promise<AuthenticatedCaller | null>,
  request: Request,
): Promise<AuthenticatedCaller> {
  const caller = await authenticate(request);
  if (!caller)
    throw new HttpError(401, "The request has no valid API key.", { headers: { "www-authenticate": "Bearer" } });
  return caller;
}

/** No `Request` can be made that says TRACE; no route takes it either, so nobody is let in by this. */
function shownMethod(method: string): string {
  return method === "TRACE" ? "GET" : method;
}
