import { isIP } from "node:net";

const SOCKET_ADDRESSES = new WeakMap<Request, string>();

/** Keeps the address of the socket that a request came from. */
export function attachAddress(request: Request, address: string | undefined): Request {
  if (address !== undefined) SOCKET_ADDRESSES.set(request, address);
  return request;
}

/**
 * The IP address of a client, of an IPv6 address its network of 64 bits; `null` if it is not known. A client can write
 * anything into `x-forwarded-for`, but each proxy appends the address that it was called from.
 * @param proxies The number of proxies before this server whose entries are trusted.
 */
export function clientAddress(request: Request, proxies: number): string | null {
  const forwarded = (request.headers.get("x-forwarded-for") ?? "").split(",").map((entry) => entry.trim());
  const entry = proxies > 0 ? forwarded.at(-Math.min(proxies, forwarded.length)) : undefined;
  return networkOf(withoutPort(entry || SOCKET_ADDRESSES.get(request) || ""));
}

function withoutPort(address: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
}

/** One customer of a provider has a whole IPv6 network. */
function networkOf(address: string): string | null {
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
