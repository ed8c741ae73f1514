import { createHash } from "node:crypto";
import { ERRORS_PAGE } from "../errors.js";
import { escapeHtml } from "../html.js";
import { route } from "../route.js";

const DOCUMENTATION = "https://github.com/lorebase/lorebase#readme";

/** Public information about a server, without its version, data and settings. */
interface ServerDescription {
  readonly name: string;
  readonly description: string;
  readonly api: string;
  readonly openapi: string;
  readonly health: string;
  readonly errors: string;
  readonly documentation: string;
  readonly authentication: string;
}

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
dt { font-weight: 600; margin-top: .75rem }
dd { margin: 0 }
pre { padding: .75rem 1rem; border: 1px solid #8886; border-radius: .4rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
`;

/** Describes the server at its base URL, as a page or JSON. Not part of the /v1 API and its OpenAPI document. */
export const landingRoute = route({
  operationId: "landingPage",
  summary: "Describe this server and the URLs of its API",
  method: "GET",
  path: "/",
  access: "public",
  response: null,
  run({ link, request }) {
    const server: ServerDescription = {
      name: "Lorebase",
      description:
        "This server is the HTTP API of a Lorebase knowledge base, to ingest and search documents. " +
        "Namespaces with hosting also have a page at /h/{slug}.",
      api: link("/v1"),
      openapi: link("/v1/openapi.json"),
      health: link("/health"),
      errors: link(ERRORS_PAGE),
      documentation: DOCUMENTATION,
      authentication:
        "Send an API key in the header Authorization: Bearer <key>. " +
        "The operator of this server creates keys with lorebase keys create.",
    };
    const response = prefersJson(request.headers.get("accept")) ? Response.json(server) : respondWithPage(server);
    response.headers.set("vary", "accept");
    // The URLs depend on the Host header, so caches must not share them.
    response.headers.set("cache-control", "no-store");
    return response;
  },
});

/** Responds with the landing page, which loads no resources and runs no scripts. The headers forbid both. */
function respondWithPage(server: ServerDescription): Response {
  const styleHash = createHash("sha256").update(STYLE).digest("base64");
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(renderLandingPage(server), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

function renderLandingPage({
  name,
  description,
  api,
  openapi,
  health,
  errors,
  documentation,
  authentication,
}: ServerDescription) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(name)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(name)}</h1>
<p>${escapeHtml(description)}</p>
<dl>
<dt>API</dt><dd><code>${escapeHtml(api)}</code></dd>
<dt>OpenAPI 3.1</dt><dd>${renderLink(openapi)}</dd>
<dt>Health check</dt><dd>${renderLink(health)}</dd>
<dt>Error codes</dt><dd>${renderLink(errors)}</dd>
<dt>Documentation</dt><dd>${renderLink(documentation)}</dd>
</dl>
<h2>Authentication</h2>
<p>${escapeHtml(authentication)}</p>
<pre><code>curl ${escapeHtml(api)}/namespace -H "Authorization: Bearer $KEY"</code></pre>
</html>
`;
}

function renderLink(url: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
}

/**
 * Returns whether an `Accept` header (RFC 9110) prefers JSON to HTML. A tie means HTML, unless the header names JSON
 * and covers HTML only by a wildcard, like those of API clients.
 */
function prefersJson(accept: string | null): boolean {
  const ranges = parseRanges(accept ?? "");
  const json = qualityOf("application/json", ranges);
  const html = qualityOf("text/html", ranges);
  if (json !== html) return json > html;
  return ranges.has("application/json") && !ranges.has("text/html");
}

/** Parses the quality of each media range. The ranges are in lower case. */
function parseRanges(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>();
  for (const item of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = item.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    ranges.set(range, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  return ranges;
}

/** Returns the quality of the most specific range that covers the type. */
function qualityOf(type: string, ranges: ReadonlyMap<string, number>): number {
  return ranges.get(type) ?? ranges.get(`${type.split("/")[0]}/*`) ?? ranges.get("*/*") ?? 0;
}
