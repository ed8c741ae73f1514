import { KnowledgeBaseError } from "../errors.js";

/** One request of a call, its body read whole so that it can be sent again. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What another origin hears as well: a key may stand in any other header, whatever its name. */
const KEPT = ["accept", "accept-language", "content-type", "if-modified-since", "if-none-match", "range", "user-agent"];
const OF_THE_BODY = ["content-encoding", "content-language", "content-location", "content-type"];

/**
 * The request that a redirect asks for (RFC 9110, section 15.4; the rules for methods are those of Fetch); null where the answer is none.
 * @throws KnowledgeBaseError `provider_failed` for an address that cannot be read, and rather than hand a body to another origin
 */
export function redirected(hop: Hop, response: Response): Hop | null {
  const location = response.headers.get("location");
  if (!REDIRECTS.has(response.status) || location === null) return null;
  if (!URL.canParse(location, hop.url.href)) throw unusable(hop, "to what is no address");
  const url = new URL(location, hop.url);
  url.username = "";
  url.password = "";
  if (!url.hash) url.hash = hop.url.hash;

  const { status } = response;
  const becomesGet =
    (status === 303 && hop.method !== "GET" && hop.method !== "HEAD") || (status < 303 && hop.method === "POST");
  const { method, body } = becomesGet ? { method: "GET", body: null } : hop;
  const leaves = url.origin !== hop.url.origin;
  if (leaves && body !== null) throw unusable(hop, "with what was sent to it to another origin");
  const headers = [...hop.headers].filter(([name]) => {
    return !(becomesGet && OF_THE_BODY.includes(name)) && (!leaves || KEPT.includes(name));
  });
  return { url, method, body, headers: new Headers(headers) };
}

function unusable({ url }: Hop, where: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${url.origin} redirects ${where}.`);
}
