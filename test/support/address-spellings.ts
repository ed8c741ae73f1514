/** IPv4 addresses that no guarded call may reach, one of each range, and those that are known for what they give away. */
const PRIVATE = [
  ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.8.8.8", "168.63.129.16"],
  ...["169.254.169.254", "172.16.0.1", "172.31.255.254", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1"],
  ...["198.18.0.1", "198.19.255.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"],
];

const OTHER_HOSTS = [
  ...[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost..",
    "a.localhost",
    "ｌｏｃａｌｈｏｓｔ",
    "loc%61lhost",
    "%6cocalhost",
  ],
  ...[
    "printer.local",
    "metadata.google.internal",
    "metadata.google.internal.",
    "x.internal",
    "nas.home.arpa",
    "metadata",
    "redis",
  ],
  ...[
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::0.0.0.1]",
    "[::127.0.0.1]",
  ],
  ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[100::1]", "[5f00::1]", "[4000::1]"],
  ...["[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]"],
  ...["[2001:db8::1]", "[3fff::1]", "[64:ff9b:1::1]", "[64:ff9b:1::808:808]", "[::ffff:0:7f00:1]", "[::ffff:8.8.8.8]"],
];

/** Hosts that are not public, in every way of writing them that the URL standard reads. */
export function privateHosts(): string[] {
  return [...PRIVATE.flatMap(spellings), ...OTHER_HOSTS];
}

function spellings(address: string): string[] {
  const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = number.toString(16).padStart(8, "0");
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  const each = (write: (byte: number) => string) => [a, b, c, d].map(write).join(".");
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0${number.toString(8)}`,
    each((byte) => `0x${byte.toString(16)}`),
    each((byte) => `0${byte.toString(8)}`),
    each((byte) => `000${byte.toString(8)}`),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    address.replaceAll(".", "。"),
    address.replaceAll(".", "．"),
    address.replaceAll(".", "%2e"),
    address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replace(/\d/g, (digit) => (digit === "0" ? "⓪" : String.fromCodePoint(0x2460 + Number(digit) - 1))),
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:ffff:${groups}]`,
    `[::${groups}]`,
    `[64:ff9b::${groups}]`,
    `[64:ff9b::${address}]`,
    `[2002:${groups}::1]`,
    `[2001:0:${groups}::1]`,
  ];
}
