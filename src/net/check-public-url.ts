import { isIP } from "node:net";
import { KnowledgeBaseError } from "../errors.js";
import { PrivateHosts } from "./private-hosts.js";
import { isPublicAddress } from "./public-address.js";

/** Names reserved for private use: RFC 6761, RFC 6762, RFC 8375, ICANN resolution 2024.07.29.06. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Rejects a URL that is not http or https, or whose host is a private IP address in any notation or a private name.
 * Other names are resolved and checked when a connection is made.
 *
 * @param field The field that holds the URL, such as `embeddingConfig.baseUrl`.
 * @param allowPrivateHosts As in {@link ProviderContext}.
 * @throws KnowledgeBaseError `invalid_input` with the field and the problem
 */
export function checkPublicUrl(url: string, field: string, allowPrivateHosts: readonly string[] = []): URL {
  const problem = findUrlProblem(url, new PrivateHosts(allowPrivateHosts));
  if (problem === null) return new URL(url);
  throw new KnowledgeBaseError("invalid_input", `${field}: ${problem}`, { issues: [{ field, message: problem }] });
}

/** Returns why a URL is not allowed, or `null` if it may be, without the URL's credentials, path or query. */
export function findUrlProblem(url: string | URL, allowed: PrivateHosts): string | null {
  if (!URL.canParse(String(url))) return "must be a URL such as https://example.com";
  const parsed = new URL(url);
  const { protocol, hostname, host } = parsed;
  if (protocol !== "http:" && protocol !== "https:") return `must be an http or https URL, not ${protocol}`;
  if (isPublicHost(hostname) || allowed.allows(parsed)) return null;
  return `${host} is not a public host; the option network.allowPrivateHosts can allow it`;
}

/** Returns whether a host may be public, judging by the name or IP address alone. */
function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) !== 0) return isPublicAddress(address);
  const name = address.replace(/\.+$/, "");
  // Names without a dot are local: ICANN allows no dotless domains.
  return name.includes(".") && !PRIVATE_NAMES.test(name);
}
