import { PageError } from "./page-error.js";

/**
 * Refuses a request that another site's page has made with the visitor's cookies. A browser sends `Sec-Fetch-Site`, or
 * at least `Origin`, with every POST; clients that send neither have no cookies of a visitor. JSON can't be sent by a
 * form.
 * @param hosts The hosts of the page: as it is configured, and as it was requested. A proxy may have ended TLS.
 */
export function requireSameOrigin({ headers }: Request, hosts: readonly string[]): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isSame = site === null ? origin === null || hosts.includes(hostOf(origin)) : site === "same-origin";
  if (!isSame) throw new PageError("cross_site_request");
  if (/^application\/json\s*(?:;|$)/i.test(headers.get("content-type") ?? "")) return;
  throw new PageError("invalid_request", { detail: "The body must be application/json." });
}

/** Empty for the origin `null` of a sandbox. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : "";
}
