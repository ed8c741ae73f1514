import { createHash } from "node:crypto";

/** Public information about a server, without its version, data and settings. */
export interface ServerDescription {
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

/** The page at a server's address. It loads nothing and runs nothing, and its headers forbid both. */
export function landingPage(server: ServerDescription): Response {
  const styleHash = createHash("sha256").update(STYLE).digest("base64");
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(html(server), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

function html({ name, description, api, openapi, health, errors, documentation, authentication }: ServerDescription) {
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
<dt>OpenAPI 3.1</dt><dd>${link(openapi)}</dd>
<dt>Health check</dt><dd>${link(health)}</dd>
<dt>Error codes</dt><dd>${link(errors)}</dd>
<dt>Documentation</dt><dd>${link(documentation)}</dd>
</dl>
<h2>Authentication</h2>
<p>${escapeHtml(authentication)}</p>
<pre><code>curl ${escapeHtml(api)}/namespace -H "Authorization: Bearer $KEY"</code></pre>
</html>
`;
}

function link(url: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
}

/** For text and quoted attributes. Addresses contain the client's Host header. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
