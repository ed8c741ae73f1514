import { isTrackingParameter } from "./tracking-parameters.js";

/**
 * Canonicalises a URL: one key for all spellings of a page's URL, `host/path?query`. Keys of one path share a prefix.
 *
 * These differences are ignored: http or https, `www.`, default ports, letter case and trailing dot of the host,
 * credentials, fragments, trailing slashes of the path, unnecessary percent-encoding and its letter case (RFC 3986,
 * section 6.2.2), a session in the path (`;jsessionid=`), tracking parameters, an empty query, and the order of
 * parameters with different names. All others may lead to another page and are significant: letter case of path and
 * query, `index.html`, parameter values.
 */
export function pageKey(pageUrl: string | URL): string {
  const url = typeof pageUrl === "string" ? new URL(pageUrl) : pageUrl;
  const query = normalizeQuery(url.search);
  return `${siteOf(url)}${normalizePath(url)}${query === "" ? "" : `?${query}`}`;
}

/** The part of a key before its query; `null` if it has no query. */
export function pathBeforeQuery(key: string): string | null {
  const end = key.indexOf("?");
  return end < 0 ? null : key.slice(0, end);
}

/** The site of a URL: the host without `www.`, and the port unless it is a default one. */
export function siteOf({ hostname, port }: URL): string {
  const name = hostname.replace(/\.+$/, "");
  const withoutWww = /^www\.(?=[^.]+\.)/.test(name) ? name.slice(4) : name;
  return port === "" || port === "80" || port === "443" ? withoutWww : `${withoutWww}:${port}`;
}

/** The path as used in keys; `/` for the root. */
export function normalizePath({ pathname }: URL): string {
  const path = normalizeEscapes(pathname).replace(/;jsessionid=[^/;]*/gi, "");
  return path.replace(/\/+$/, "") || "/";
}

/** Resolves a URL, without credentials, which must not be sent, and without the fragment. */
export function toRequestUrl(input: string | URL, base?: string): URL {
  const url = new URL(input, base);
  // Each assignment serialises the URL again, so they are skipped if nothing changes.
  if (url.username !== "") url.username = "";
  if (url.password !== "") url.password = "";
  if (url.href.includes("#")) url.hash = "";
  return url;
}

/** {@link toRequestUrl} without tracking parameters; keeps the spelling otherwise. */
export function cleanUrl(pageUrl: string | URL): URL {
  const url = toRequestUrl(pageUrl);
  if (!url.href.includes("?")) return url;
  const query = url.search.slice(1);
  const kept = significantParameters(query).join("&");
  if (kept === "" || kept !== query) url.search = kept;
  return url;
}

function normalizeQuery(search: string): string {
  return significantParameters(normalizeEscapes(search.slice(1)))
    .map((parameter) => ({ parameter, name: nameOf(parameter) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ parameter }) => parameter)
    .join("&");
}

function significantParameters(query: string): string[] {
  return query.split("&").filter((parameter) => parameter !== "" && !isTrackingParameter(nameOf(parameter)));
}

function nameOf(parameter: string): string {
  const end = parameter.indexOf("=");
  return end < 0 ? parameter : parameter.slice(0, end);
}

/** Decodes escapes of unreserved characters (letters, digits and `-._~`); writes the others in upper case. */
function normalizeEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : escaped.toUpperCase();
  });
}
