export interface ContentPolicy {
  readonly frameAncestors: readonly string[];
  /** The URL of an image of another site; `null` for none. */
  readonly logo: string | null;
}

/** The headers of a page. Its script can't evaluate text, insert HTML or reach another site. */
export function pageHeaders({ frameAncestors, logo }: ContentPolicy): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${logo === null ? "" : ` ${new URL(logo).origin}`}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(" ") : "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    ...DATA_HEADERS,
    "content-type": "text/html; charset=utf-8",
    vary: "accept-language",
    "content-security-policy": policy.join("; "),
  };
}

/** The headers of all responses for visitors. */
export const DATA_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * The headers of a PDF file. The viewers of browsers are built of embedded objects and inline styles, and a sandbox
 * would keep them from starting.
 */
export const PDF_HEADERS = {
  ...DATA_HEADERS,
  "cache-control": "private, no-store",
  "content-security-policy":
    "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'",
  "cross-origin-resource-policy": "same-origin",
};
