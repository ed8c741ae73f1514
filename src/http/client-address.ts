import { isIP } from "node:net";

const SOCKET_ADDRESSES = new WeakMap<Request, string>();

/** Records the socket address that a request came from, for {@link clientAddress}. */
export function attachAddress(request: Request, address: string | undefined): Request {
  if (address !== undefined) SOCKET_ADDRESSES.set(request, address);
  return request;
}

/**
 * Returns the IPv4 address or the IPv6 /64 network of a client; `null` if unknown. A client can write anything into
 * `x-forwarded-for`, but each proxy appends the address that called it.
 * @param trustedProxyCount The number of proxies in front of this server whose entries are trusted.
 */
export function clientAddress(request: Request, trustedProxyCount: number): string | null {
  const forwarded = (request.headers.get("x-forwarded-for") ?? "").split(",").map((entry) => entry.trim());
  const entry = trustedProxyCount > 0 ? forwarded.at(-Math.min(trustedProxyCount, forwarded.length)) : undefined;
  return toNetwork(withoutPort(entry || SOCKET_ADDRESSES.get(request) || ""));
}

function withoutPort(address: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
}

/** Reduces an IPv6 address to its /64 network, since one customer of a provider has a whole network. */
function toNetwork(address: string): string | null {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  const version = isIP(mapped);
  if (version !== 6) return version === 4 ? mapped : null;
  const [head = "", tail] = mapped.toLowerCase().replace(/%.*$/, "").split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
