import { isTrackingParameter } from "./tracking-parameters.js";

/**
 * Returns the key of a URL, `host/path?query`: the same for all spellings of a page's URL. Keys with the same path
 * share a prefix.
 *
 * Differences in the following are ignored: http or https, `www.`, default ports, letter case and trailing dot of the
 * host, credentials, fragments, trailing slashes of the path, unnecessary percent-encoding and its letter case (RFC
 * 3986, section 6.2.2), a session in the path (`;jsessionid=`), tracking parameters, an empty query, and the order of
 * parameters with different names. Any other difference may lead to another page and is significant: letter case of
 * path and query, `index.html`, parameter values.
 */
export function pageKey(pageUrl: string | URL): string {
  const url = typeof pageUrl === "string" ? new URL(pageUrl) : pageUrl;
  const query = normalizeQuery(url.search);
  return `${siteOf(url)}${normalizePath(url)}${query === "" ? "" : `?${query}`}`;
}

/** Returns the part of a key before its query; `null` if the key has no query. */
export function pathBeforeQuery(key: string): string | null {
  const end = key.indexOf("?");
  return end < 0 ? null : key.slice(0, end);
}

/** Returns the site of a URL: the host without `www.`, and the port unless it is a default port. */
export function siteOf({ hostname, port }: URL): string {
  const name = hostname.replace(/\.+$/, "");
  const withoutWww = /^www\.(?=[^.]+\.)/.test(name) ? name.slice(4) : name;
  return port === "" || port === "80" || port === "443" ? withoutWww : `${withoutWww}:${port}`;
}

/** Returns the path of a URL as used in keys; `/` for the root. */
export function normalizePath({ pathname }: URL): string {
  const path = normalizeEscapes(pathname).replace(/;jsessionid=[^/;]*/gi, "");
  return path.replace(/\/+$/, "") || "/";
}

/** Resolves a URL, and removes the fragment and the credentials, which must not be sent to other pages. */
export function toRequestUrl(input: string | URL, base?: string): URL {
  const url = new URL(input, base);
  // Each assignment serialises the URL again, so it is skipped if nothing changes.
  if (url.username !== "") url.username = "";
  if (url.password !== "") url.password = "";
  if (url.href.includes("#")) url.hash = "";
  return url;
}

/** Does the same as {@link toRequestUrl}, and also removes tracking parameters. Otherwise keeps the spelling. */
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

/** Decodes escapes of unreserved characters (letters, digits and `-._~`), and converts all others to upper case. */
function normalizeEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : escaped.toUpperCase();
  });
}
