import { isTracking } from "./tracking-parameters.js";

/**
 * One key for all spellings of a page's address: `host/path?query`, so that keys of one path begin alike.
 *
 * Of one page are: http and https, with and without `www.`, default ports, letter case and a closing dot of the host, credentials,
 * fragments, closing slashes of the path, percent-encoding of what needs none and its letter case (RFC 3986, section 6.2.2), a session
 * in the path (`;jsessionid=`), parameters that only say where a visitor came from, an empty query, and the order of parameters of
 * different names. All else may lead to another page and stays: letter case of path and query, `index.html`, values.
 */
export function pageKey(address: string | URL): string {
  const url = typeof address === "string" ? new URL(address) : address;
  const query = normalizedQuery(url.search);
  return `${siteOf(url)}${normalizedPath(url)}${query === "" ? "" : `?${query}`}`;
}

/** What the addresses of one site have in common: the host without `www.`, and a port that is none of http and https. */
export function siteOf({ hostname, port }: URL): string {
  const name = hostname.replace(/\.+$/, "");
  const bare = /^www\.(?=[^.]+\.)/.test(name) ? name.slice(4) : name;
  return port === "" || port === "80" || port === "443" ? bare : `${bare}:${port}`;
}

/** The path as it stands in keys; `/` for the root. */
export function normalizedPath({ pathname }: URL): string {
  const path = normalizedEscapes(pathname).replace(/;jsessionid=[^/;]*/gi, "");
  return path.replace(/\/+$/, "") || "/";
}

/** An address as it is fetched: its spelling kept, without a name and password, its fragment and what only says where a visitor came from. */
export function cleanAddress(address: string | URL): URL {
  const url = new URL(address);
  // Each of these writes the address anew.
  if (url.username !== "") url.username = "";
  if (url.password !== "") url.password = "";
  if (url.href.includes("#")) url.hash = "";
  if (!url.href.includes("?")) return url;
  const parameters = url.search.slice(1).split("&");
  const kept = parameters.filter((parameter) => parameter !== "" && !isTracking(nameOf(parameter)));
  if (kept.length < parameters.length) url.search = kept.join("&");
  return url;
}

function normalizedQuery(search: string): string {
  const parameters = normalizedEscapes(search.slice(1))
    .split("&")
    .filter((parameter) => parameter !== "" && !isTracking(nameOf(parameter)));
  return parameters
    .map((parameter, index) => ({ parameter, index, name: nameOf(parameter) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.index - b.index))
    .map(({ parameter }) => parameter)
    .join("&");
}

function nameOf(parameter: string): string {
  const end = parameter.indexOf("=");
  return end < 0 ? parameter : parameter.slice(0, end);
}

/** Letters, digits and `-._~` mean the same with and without an escape; the others keep theirs, in upper case. */
function normalizedEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const char = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : escaped.toUpperCase();
  });
}
