/** The hosted models that the interface names, by vendor. A request may name each of a vendor whose key the host has given. */
export const HOSTED_RERANKERS = {
  cohere: ["rerank-v4.0-pro", "rerank-v4.0-fast", "rerank-v3.5", "rerank-english-v3.0", "rerank-multilingual-v3.0"],
  zeroentropy: ["zerank-2", "zerank-1", "zerank-1-small"],
} as const;

export type RerankerVendor = keyof typeof HOSTED_RERANKERS;

/** The interface's neutral vendor names. */
const ALIASES: ReadonlyMap<string, RerankerVendor> = new Map([
  ["vendor_a", "cohere"],
  ["vendor_b", "zeroentropy"],
]);

/** A reranker's name with its vendor's own: `vendor_a:rerank-v3.5` is `cohere:rerank-v3.5`. */
export function canonicalRerankerName(name: string): string {
  const [vendor, ...model] = name.split(":");
  return [ALIASES.get(vendor!) ?? vendor, ...model].join(":");
}

/** The vendor in a name, where it is one of the hosted ones. */
export function hostedVendorOf(name: string): RerankerVendor | null {
  const vendor = canonicalRerankerName(name).split(":", 1)[0]!;
  return Object.hasOwn(HOSTED_RERANKERS, vendor) ? (vendor as RerankerVendor) : null;
}
