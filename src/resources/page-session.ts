import type { Engine } from "../engine/engine.js";

/** How long a visitor stays signed in. */
const LIFETIME_MS = 30 * 24 * 3600 * 1000;
/** No token is longer, even with the longest possible e-mail address. */
const MAX_TOKEN_LENGTH = 1024;

/** The hosted page for which a session is valid. */
export interface PageSessionScope {
  readonly slug: string;
  readonly namespaceId: string;
}

/** The session of a visitor who has signed in to a hosted page. */
export interface PageSession {
  /** The value for a cookie, in URL-safe characters. */
  readonly token: string;
  /** When the session ends, in milliseconds since the epoch. */
  readonly expires: number;
}

export function createPageSession(engine: Engine, scope: PageSessionScope, email: string): PageSession {
  const expires = engine.now() + LIFETIME_MS;
  const signature = engine.secrets.sign("page-session", signedText(scope, email, expires));
  return { token: `${Buffer.from(email).toString("base64url")}.${expires}.${signature}`, expires };
}

/** Returns the e-mail address of a session; `null` if its token is for another page, was altered, or has expired. */
export function verifyPageSession(engine: Engine, scope: PageSessionScope, token: string): string | null {
  const [, address, expires, signature] =
    /^([\w-]+)\.([1-9]\d{0,14})\.([\w-]+)$/.exec(token.slice(0, MAX_TOKEN_LENGTH)) ?? [];
  if (address === undefined || expires === undefined || signature === undefined) return null;
  const email = Buffer.from(address, "base64url").toString();
  const text = signedText(scope, email, Number(expires));
  if (!engine.secrets.verify("page-session", text, signature)) return null;
  return Number(expires) < engine.now() ? null : email;
}

/**
 * Returns an id of a visitor in a namespace, which neither tells the e-mail address nor can be found by trying addresses.
 * It changes with the master key.
 *
 * @param email That of the visitor's session; `null` for all visitors without one.
 */
export function pageVisitorId(engine: Engine, { namespaceId }: PageSessionScope, email: string | null): string {
  return engine.secrets.sign("page-visitor", JSON.stringify([namespaceId, email]));
}

/** Returns JSON, so that no two sessions have the same text, whatever their values contain. */
function signedText({ slug, namespaceId }: PageSessionScope, email: string, expires: number): string {
  return JSON.stringify([slug, namespaceId, email, expires]);
}
