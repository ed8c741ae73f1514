import { BlockList, isIP } from "node:net";

/** IPv4 addresses that IANA's special-purpose registry (RFC 6890) lists as not globally reachable, and multicast. */
const NON_PUBLIC_V4 = subnets("ipv4", [
  "0.0.0.0/8", // this network: RFC 791
  "10.0.0.0/8", // private: RFC 1918
  "100.64.0.0/10", // shared address space (carrier-grade NAT): RFC 6598
  "127.0.0.0/8", // loopback: RFC 1122
  "168.63.129.16/32", // Azure's metadata and secrets, though formally a public address
  "169.254.0.0/16", // link-local, and the metadata of most clouds: RFC 3927
  "172.16.0.0/12", // private: RFC 1918
  "192.0.0.0/24", // protocol assignments: RFC 6890
  "192.0.2.0/24", // documentation: RFC 5737
  "192.88.99.0/24", // relays of 6to4: RFC 7526
  "192.168.0.0/16", // private: RFC 1918
  "198.18.0.0/15", // benchmarking: RFC 2544
  "198.51.100.0/24", // documentation: RFC 5737
  "203.0.113.0/24", // documentation: RFC 5737
  "224.0.0.0/4", // multicast: RFC 5771
  "240.0.0.0/4", // reserved, and broadcast: RFC 1112, RFC 919
]);

/** The only IPv6 range assigned to public hosts (RFC 4291, IANA's registry of global unicast addresses). */
const GLOBAL_V6 = subnets("ipv6", ["2000::/3"]);

/** Subranges of `2000::/3` that are not public, or that embed an IPv4 address. */
const NON_PUBLIC_V6 = subnets("ipv6", [
  "2001::/23", // protocol assignments, Teredo and benchmarking among them: RFC 2928, RFC 4380, RFC 5180
  "2001:db8::/32", // documentation: RFC 3849
  "2002::/16", // 6to4: RFC 3056
  "3fff::/20", // documentation: RFC 9637
]);

/** Addresses that embed an IPv4 address for NAT64: RFC 6052. */
const NAT64 = subnets("ipv6", ["64:ff9b::/96"]);

/** Returns whether a text is the IP address of a public host. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NON_PUBLIC_V4.check(address, "ipv4");
    case 6:
      // A zone id marks a link-local address.
      if (address.includes("%")) return false;
      if (NAT64.check(address, "ipv6")) return isPublicAddress(embeddedIpv4(address));
      return GLOBAL_V6.check(address, "ipv6") && !NON_PUBLIC_V6.check(address, "ipv6");
    default:
      return false;
  }
}

/** Returns the IPv4 address embedded in an address of `64:ff9b::/96`. */
function embeddedIpv4(address: string): string {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [high, low] = ["0", "0", ...canonical.slice("64:ff9b:".length).split(":")].slice(-2);
  const number = Number.parseInt(high || "0", 16) * 0x1_0000 + Number.parseInt(low || "0", 16);
  return new URL(`http://${number}/`).hostname;
}

function subnets(family: "ipv4" | "ipv6", ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, prefix] = range.split("/") as [string, string];
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
