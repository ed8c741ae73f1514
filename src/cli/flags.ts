/** An option of the command line. */
export interface Flag {
  readonly short?: string;
  /** What its value is called in the help; absent where it takes none. */
  readonly value?: string;
  /** Whether it may be given several times, each adding a value. */
  readonly many?: true;
  readonly help: string;
}

/** Every option that some command knows. */
export const FLAGS = {
  directory: {
    short: "d",
    value: "PATH",
    help: "where the knowledge base lives (LOREBASE_DIRECTORY, else ./lorebase)",
  },
  namespace: { short: "n", value: "SLUG", help: "namespace, by slug or id (default: default)" },
  tenant: { value: "ID", help: "tenant of the namespace (default: none)" },
  embedding: { value: "PROVIDER", help: "embedder of a namespace that is made now, as in MANAGED_STATIC" },
  model: { value: "NAME", help: "embedding model, by name or as a local path; needs --embedding" },
  mode: { short: "m", value: "MODE", help: "hybrid (the default), semantic or keyword; eval also takes all" },
  "top-k": { short: "k", value: "N", help: "passages to return (default: 5)" },
  reranker: {
    value: "NAME",
    help: "transformers[:<model>], or cohere, zeroentropy with COHERE_API_KEY, ZEROENTROPY_API_KEY",
  },
  explain: { help: "show the ranks and scores of each passage at every stage" },
  filter: { value: "JSON", help: 'only passages whose metadata match, as in \'{"year":{"$gte":2025}}\'' },
  metadata: { value: "JSON", help: "metadata of every document, as in '{\"year\":2026}'" },
  "chunk-size": { value: "N", help: "characters of a chunk, 32 to 65536 (default: 2048)" },
  "external-id": { value: "ID", help: "a name of your own for what is ingested, unique in the namespace and tenant" },
  "on-conflict": {
    value: "WORD",
    help: "where --external-id is taken: fail, skip (leave it as it is) or replace (default: fail)",
  },
  dedupe: { help: "leave out files whose content and options a document has already" },
  include: { value: "GLOB", many: true, help: "only files that match, below the folder; may be given several times" },
  exclude: { value: "GLOB", many: true, help: "files and folders to leave out; may be given several times" },
  "max-depth": { value: "N", help: "links from page to page, the start page counted (default: 5)" },
  limit: { value: "N", help: "documents to make of a site (default: 50)" },
  "include-path": {
    value: "PATH",
    many: true,
    help: "only pages at or below it, as in /docs; may be given several times",
  },
  "exclude-path": { value: "PATH", many: true, help: "no pages at or below it; may be given several times" },
  header: { value: "TEXT", many: true, help: "sent to the address' own origin, as in 'Accept-Language: de'" },
  replace: { help: "delete earlier crawls of the address with other options, once this one is done" },
  source: { value: "NAME", help: "what the folder is known by wherever it lies (default: its path)" },
  "delete-excluded": { help: "delete the documents of files that the patterns don't name" },
  "allow-empty": { help: "delete every document where an empty folder is in the place of the one that was there" },
  watch: { short: "w", help: "go on, and sync again whenever something changes, until Ctrl-C" },
  settings: { value: "FILE", help: "YAML or JSON: a list of settings to compare, each a name and options of search" },
  baseline: { value: "FILE", help: "what --json wrote earlier; measures that fell since fail the command" },
  "max-drop": { value: "N", help: "fall since the baseline that is allowed unless it is significant (default: 0.01)" },
  "fail-below": { value: "LIST", help: "means that must be reached, as in nDCG@10=0.68 or hybrid:recall@5=0.9" },
  port: { short: "p", value: "N", help: "port to listen on; 0 takes a free one (default: 3000)" },
  host: { value: "ADDRESS", help: "address to listen on (default: 127.0.0.1, which only this machine reaches)" },
  "public-url": { value: "URL", help: "address under which clients reach the server, for the URLs that it signs" },
  name: { value: "NAME", help: "what the key is called in lists" },
  scope: { value: "SCOPE", help: "read, write or admin: what the key may do (default: read)" },
  organization: { value: "ID", help: "organization that owns the key (default: the one of embedded use)" },
  status: { value: "STATUS", help: "only those of this status, as in FAILED" },
  yes: { help: "do it without asking" },
  json: { help: "one JSON document on stdout, all else on stderr" },
  help: { short: "h", help: "show help" },
  version: { short: "v", help: "show the version" },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;

/** What was given: texts for options with a value, lists of them for those that may be given several times, true for switches. */
export type FlagValues = { readonly [K in FlagName]?: ValueOf<(typeof FLAGS)[K]> };
type ValueOf<F> = F extends { many: true } ? readonly string[] : F extends { value: string } ? string : true;
