import { createHash } from "node:crypto";
import type { ApiKeyScope, KnowledgeBase } from "../index.js";
import { LruCache } from "../util/lru-cache.js";
import { API_KEY_SCOPES } from "../validation/organization-schema.js";
import { HttpError } from "./errors.js";
import type { Caller } from "./route.js";

/** The caller of a request and its API key; `keyId` is `null` if the host authenticated the request. */
export interface AuthenticatedCaller extends Required<Caller> {
  readonly keyId: string | null;
}

/** A revoked key stops working within `ttlMs`. */
const KEY_CACHE = { ttlMs: 2000, maxEntries: 1000 };
/** The maximum length of a token. API keys are shorter; longer tokens are rejected without a lookup. */
const MAX_KEY_LENGTH = 256;

/** Returns the caller of a request, or `null` to reject the request. */
export type Authenticate = (request: Request) => Promise<Caller | null> | Caller | null;

/** Returns the caller of a request. @throws HttpError 401 if the request has no valid caller */
export type Authenticator = (request: Request) => Promise<AuthenticatedCaller>;

/** Creates a function that authenticates requests by an API key in `Authorization: Bearer …`. */
export function createApiKeyAuthenticator(kb: KnowledgeBase): Authenticator {
  const findCaller = createCallerLookup(kb);
  return async ({ headers }) => {
    const key = parseBearerToken(headers);
    const caller = key === null ? null : await findCaller(key);
    if (caller) return caller;
    throw unauthorizedError("The request has no valid API key. Send the header: Authorization: Bearer <API key>");
  };
}

function createCallerLookup(kb: KnowledgeBase): (key: string) => Promise<AuthenticatedCaller | null> {
  const callers = new LruCache<string, AuthenticatedCaller>(KEY_CACHE);
  return async (key) => {
    const digest = createHash("sha256").update(key).digest("base64");
    const cached = callers.get(digest);
    if (cached) return cached;
    const apiKey = await kb.verifyApiKey(key);
    if (!apiKey) return null;
    const caller = {
      organizationId: apiKey.organizationId,
      scope: apiKey.scope,
      principals: apiKey.principals,
      keyId: apiKey.id,
    };
    callers.set(digest, caller);
    return caller;
  };
}

/** Parses a token as in RFC 6750. Two headers arrive joined by a comma, which a token can't contain. */
function parseBearerToken(headers: Headers): string | null {
  const [, token] = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return token === undefined || token.length > MAX_KEY_LENGTH ? null : token;
}

/**
 * Creates a function that calls the host's function. The host gets a request without the body, which it could consume.
 */
export function createHostAuthenticator(authenticate: Authenticate): Authenticator {
  return async ({ url, method, headers }) => {
    const caller = await authenticate(new Request(url, { method: toSupportedMethod(method), headers }));
    if (!caller) throw unauthorizedError("The request has no valid API key.");
    const { organizationId, scope = "admin", principals = null } = caller;
    // A lookup of groups that found nothing must not give the owner's view.
    if ("principals" in caller && caller.principals !== null && !Array.isArray(caller.principals))
      throw new TypeError("The option authenticate returned principals that are neither a list nor null.");
    return { organizationId, scope, principals, keyId: null };
  };
}

function unauthorizedError(message: string): HttpError {
  return new HttpError(401, message, { headers: { "www-authenticate": "Bearer" } });
}

/** Replaces TRACE, for which `Request` throws. No route has this method, so the replacement grants no access. */
function toSupportedMethod(method: string): string {
  return method === "TRACE" ? "GET" : method;
}

/** Returns whether a key with `scope` may call an operation that needs `required`. */
export function includesScope(scope: ApiKeyScope, required: ApiKeyScope): boolean {
  return API_KEY_SCOPES.indexOf(scope) >= API_KEY_SCOPES.indexOf(required);
}
