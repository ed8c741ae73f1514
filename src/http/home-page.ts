import { createHash } from "node:crypto";
import { ERRORS_PAGE } from "./errors.js";

const STYLE =
  "body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem } pre { overflow-x: auto; background: #f4f4f4; padding: .75rem }";

/**
 * What stands at the interface's own address, for whoever opens it in a browser or asks for JSON. It needs no key and says nothing of
 * what is stored.
 *
 * @param base The interface's address, without a slash at its end.
 */
export function homePage(base: string, accept: string | null): Response {
  return prefersJson(accept) ? Response.json(facts(base)) : html(base);
}

function facts(base: string) {
  return {
    name: "Lorebase",
    api: `${base}/v1`,
    openApi: `${base}/v1/openapi.json`,
    errors: `${base}${ERRORS_PAGE}`,
    health: `${base}/health`,
    ready: `${base}/ready`,
    authentication: "Authorization: Bearer <API key>",
  };
}

function html(base: string): Response {
  const { api, openApi, errors, health, ready, authentication } = facts(escapeHtml(base));
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lorebase</title>
<style>${STYLE}</style>
<h1>Lorebase</h1>
<p>This is the HTTP interface of a knowledge base: documents are ingested, and searches return their passages.</p>
<p>Every operation below <code>/v1</code> needs an API key, in the header <code>${escapeHtml(authentication)}</code>.
Whoever runs this server makes keys with <code>lorebase keys create</code>.</p>
<pre>curl ${api}/namespace -H "Authorization: Bearer $KEY"</pre>
<ul>
<li><a href="${openApi}">Every operation</a>, as OpenAPI 3.1</li>
<li><a href="${errors}">Error codes</a> and what they mean</li>
<li><a href="${health}">Whether the process answers</a>, and <a href="${ready}">whether the database does</a></li>
</ul>
</html>
`;
  const hash = createHash("sha256").update(STYLE).digest("base64");
  return new Response(page, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

function prefersJson(accept: string | null): boolean {
  return accept !== null && accept.includes("application/json") && !accept.includes("text/html");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
