import { ERRORS_PAGE } from "../errors.js";
import { landingPage, type ServerDescription } from "../landing-page.js";
import { route } from "../route.js";

const DOCUMENTATION = "https://github.com/lorebase/lorebase#readme";

/**
 * Describes the server at its own address, as a page or JSON. Not part of the /v1 interface and its OpenAPI document.
 */
export const landingRoute = route({
  operationId: "landingPage",
  summary: "A description of this server and the address of its interface",
  method: "GET",
  path: "/",
  access: "public",
  response: null,
  run({ link, request }) {
    const server: ServerDescription = {
      name: "Lorebase",
      description:
        "This server is the HTTP API of a Lorebase knowledge base, to ingest and search documents. " +
        "It has no web interface.",
      api: link("/v1"),
      openapi: link("/v1/openapi.json"),
      health: link("/health"),
      errors: link(ERRORS_PAGE),
      documentation: DOCUMENTATION,
      authentication:
        "Send an API key in the header Authorization: Bearer <key>. " +
        "The operator of this server creates keys with lorebase keys create.",
    };
    const response = prefersJson(request.headers.get("accept")) ? Response.json(server) : landingPage(server);
    response.headers.set("vary", "accept");
    // The addresses depend on the Host header, so caches must not share them.
    response.headers.set("cache-control", "no-store");
    return response;
  },
});

/**
 * Whether an `Accept` header (RFC 9110) prefers JSON to HTML. A tie means HTML, unless the header names JSON and covers
 * HTML only by a wildcard, as API clients do.
 */
function prefersJson(accept: string | null): boolean {
  const ranges = parseRanges(accept ?? "");
  const json = qualityOf("application/json", ranges);
  const html = qualityOf("text/html", ranges);
  if (json !== html) return json > html;
  return ranges.has("application/json") && !ranges.has("text/html");
}

/** The quality of each media range, in lower case. */
function parseRanges(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>();
  for (const item of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    ranges.set(range, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  return ranges;
}

/** The quality of the most specific range that covers the type. */
function qualityOf(type: string, ranges: ReadonlyMap<string, number>): number {
  return ranges.get(type) ?? ranges.get(`${type.split("/")[0]}/*`) ?? ranges.get("*/*") ?? 0;
}
