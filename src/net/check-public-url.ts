import { isIP } from "node:net";
import { KnowledgeBaseError } from "../errors.js";
import { PrivateHosts } from "./private-hosts.js";
import { isPublicAddress } from "./public-address.js";

/** Names that never stand for a host of the public internet: RFC 6761, RFC 6762, RFC 8375, and ICANN's resolution 2024.07.29.06. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Refuses an address that is not http or https, or whose host is plainly not public: a private IP address in any spelling, or a private
 * name. What a name stands for is seen when it is called.
 *
 * @param field Where the address stands, as in `embeddingConfig.baseUrl`.
 * @param allowPrivateHosts As in {@link ProviderContext}.
 * @throws KnowledgeBaseError `invalid_input` that names the field
 */
export function checkPublicUrl(url: string, field: string, allowPrivateHosts: readonly string[] = []): URL {
  const problem = refusal(url, new PrivateHosts(allowPrivateHosts));
  if (problem === null) return new URL(url);
  throw new KnowledgeBaseError("invalid_input", `${field}: ${problem}`, { issues: [{ field, message: problem }] });
}

/** Why an address is refused before anything is asked; null where it is not. No credentials, path or query of it is told. */
export function refusal(url: string | URL, allowed: PrivateHosts): string | null {
  if (!URL.canParse(String(url))) return "is no address, as in https://example.com";
  const parsed = new URL(url);
  const { protocol, hostname, host } = parsed;
  if (protocol !== "http:" && protocol !== "https:") return `must be an http or https address, not ${protocol}`;
  if (isPublicHost(hostname) || allowed.allows(parsed)) return null;
  return `${host} is not a public host; the option network.allowPrivateHosts allows one by its name`;
}

/** Whether a URL's host may be a public one, as far as its name or number tells. */
function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) !== 0) return isPublicAddress(address);
  const name = address.replace(/\.+$/, "");
  // A name without a dot is one of the local network: ICANN allows no such domain.
  return name.includes(".") && !PRIVATE_NAMES.test(name);
}
