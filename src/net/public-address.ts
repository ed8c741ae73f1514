import { BlockList, isIP } from "node:net";

/** What IANA's registry of IPv4 special-purpose addresses (RFC 6890) doesn't count as reachable from everywhere, and multicast. */
const NON_PUBLIC_V4 = subnets("ipv4", [
  "0.0.0.0/8", // this network: RFC 791
  "10.0.0.0/8", // private: RFC 1918
  "100.64.0.0/10", // shared by a provider's customers: RFC 6598
  "127.0.0.0/8", // loopback: RFC 1122
  "168.63.129.16/32", // what Azure's machines ask for their secrets: public by its number alone
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

/** The only IPv6 addresses that are given out as public ones (RFC 4291, IANA's registry of global unicast addresses). */
const GLOBAL_V6 = subnets("ipv6", ["2000::/3"]);

/** Those among them that are not, or that stand for an IPv4 address. */
const NON_PUBLIC_V6 = subnets("ipv6", [
  "2001::/23", // protocol assignments, Teredo and benchmarking among them: RFC 2928, RFC 4380, RFC 5180
  "2001:db8::/32", // documentation: RFC 3849
  "2002::/16", // 6to4: RFC 3056
  "3fff::/20", // documentation: RFC 9637
]);

/** An IPv4 address as a network without IPv4 sees it: RFC 6052. */
const NAT64 = subnets("ipv6", ["64:ff9b::/96"]);

/** Whether an IP address, as `net.isIP` knows it, is one of the public internet. Anything else is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NON_PUBLIC_V4.check(address, "ipv4");
    case 6:
      // One with a zone is of this machine's own links.
      if (address.includes("%")) return false;
      if (NAT64.check(address, "ipv6")) return isPublicAddress(lastFourBytes(address));
      return GLOBAL_V6.check(address, "ipv6") && !NON_PUBLIC_V6.check(address, "ipv6");
    default:
      return false;
  }
}

/** The end of an address of `64:ff9b::/96`, as an IPv4 address. */
function lastFourBytes(address: string): string {
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
