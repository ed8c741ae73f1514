const NAME = "lorebase_session";

export interface CookieScope {
  /** The path of the page. */
  readonly path: string;
  readonly isSecure: boolean;
}

/** The tokens that a request has. There may be one of an earlier page, if pages have been mounted elsewhere. */
export function sessionTokens({ headers }: Request): readonly string[] {
  const cookies = (headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.filter((cookie) => cookie.startsWith(`${NAME}=`)).map((cookie) => cookie.slice(NAME.length + 1));
}

/** The header that sets the cookie of a session, or removes it if the token is empty. */
export function sessionCookie(token: string, maxAgeSeconds: number, { path, isSecure }: CookieScope): string {
  const attributes = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Lax"];
  return [`${NAME}=${token}`, ...attributes, ...(isSecure ? ["Secure"] : [])].join("; ");
}
