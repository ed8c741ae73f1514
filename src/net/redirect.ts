import { KnowledgeBaseError } from "../errors.js";

/** One request of a call. The body is buffered so that it can be sent again. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Headers that may be sent to another origin. Any other header may hold an API key. */
const CROSS_ORIGIN_HEADERS = [
  "accept",
  "accept-language",
  "content-type",
  "if-modified-since",
  "if-none-match",
  "range",
  "user-agent",
];
const BODY_HEADERS = ["content-encoding", "content-language", "content-location", "content-type"];

/**
 * Returns the next request after a redirect (RFC 9110, section 15.4, with the method rules of Fetch); `null` for any
 * other response.
 * @throws KnowledgeBaseError `provider_failed` for an invalid URL, or if a body would be sent to another origin
 */
export function nextHop(hop: Hop, response: Response): Hop | null {
  const location = response.headers.get("location");
  if (!REDIRECT_STATUSES.has(response.status) || location === null) return null;
  if (!URL.canParse(location, hop.url.href)) throw redirectError(hop, "to an invalid URL");
  const url = new URL(location, hop.url);
  url.username = "";
  url.password = "";
  if (!url.hash) url.hash = hop.url.hash;

  const { status } = response;
  const becomesGet =
    (status === 303 && hop.method !== "GET" && hop.method !== "HEAD") || (status < 303 && hop.method === "POST");
  const { method, body } = becomesGet ? { method: "GET", body: null } : hop;
  const isCrossOrigin = url.origin !== hop.url.origin;
  if (isCrossOrigin && body !== null) throw redirectError(hop, "a request with a body to another origin");
  const headers = [...hop.headers].filter(([name]) => {
    return !(becomesGet && BODY_HEADERS.includes(name)) && (!isCrossOrigin || CROSS_ORIGIN_HEADERS.includes(name));
  });
  return { url, method, body, headers: new Headers(headers) };
}

function redirectError({ url }: Hop, target: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${url.origin} redirects ${target}.`);
}
