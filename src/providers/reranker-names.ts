/**
 * Hosted reranking models by vendor. A request may select any model of a vendor whose key is configured. A vendor also
 * has a driver in `rerankers/`, its key in `ManagedOptions` and its name in `RERANKER_NAME` (options.ts), its entry in
 * `listRerankers` (create-engine.ts), and the environment variable of its key in `VENDORS`
 * (cli/parse-reranker-flags.ts).
 */
export const HOSTED_RERANKERS = {
  cohere: ["rerank-v4.0-pro", "rerank-v4.0-fast", "rerank-v3.5", "rerank-english-v3.0", "rerank-multilingual-v3.0"],
  zeroentropy: ["zerank-2", "zerank-1", "zerank-1-small"],
} as const;

export type RerankerVendor = keyof typeof HOSTED_RERANKERS;

/** Neutral vendor names of the HTTP interface. */
const ALIASES: ReadonlyMap<string, RerankerVendor> = new Map([
  ["vendor_a", "cohere"],
  ["vendor_b", "zeroentropy"],
]);

/** Resolves vendor aliases: `vendor_a:rerank-v3.5` is `cohere:rerank-v3.5`. */
export function canonicalRerankerName(name: string): string {
  const [vendor, ...model] = name.split(":");
  return [ALIASES.get(vendor!) ?? vendor, ...model].join(":");
}

/** Returns the hosted vendor that a name begins with, or `null`. */
export function hostedVendorOf(name: string): RerankerVendor | null {
  const vendor = canonicalRerankerName(name).split(":", 1)[0]!;
  return Object.hasOwn(HOSTED_RERANKERS, vendor) ? (vendor as RerankerVendor) : null;
}
