/** A command line option. */
export interface Flag {
  readonly short?: string;
  /** The placeholder of its value in the help; absent for a switch. */
  readonly value?: string;
  /** Whether it can be given more than once. */
  readonly multiple?: true;
  readonly help: string;
}

/** The options of all commands. */
export const FLAGS = {
  directory: {
    short: "d",
    value: "PATH",
    help: "directory of the knowledge base (default: LOREBASE_DIRECTORY, else ./lorebase)",
  },
  namespace: { short: "n", value: "SLUG", help: "namespace, by slug or id (default: default)" },
  tenant: { value: "ID", help: "tenant of the namespace (default: none)" },
  embedding: { value: "PROVIDER", help: "embedder of a newly created namespace, such as MANAGED_STATIC" },
  model: { value: "NAME", help: "embedding model, by name or local path; needs --embedding" },
  mode: { short: "m", value: "MODE", help: "hybrid (default), semantic or keyword; for eval also all" },
  "top-k": { short: "k", value: "N", help: "passages to return (default: 5)" },
  reranker: {
    value: "NAME",
    help: "transformers[:<model>], or cohere, zeroentropy with COHERE_API_KEY, ZEROENTROPY_API_KEY",
  },
  explain: { help: "show the rank and score of each passage at every stage" },
  filter: { value: "JSON", help: 'only passages whose metadata matches, such as \'{"year":{"$gte":2025}}\'' },
  metadata: { value: "JSON", help: "metadata of every document, such as '{\"year\":2026}'" },
  "chunk-size": { value: "N", help: "characters of a chunk, 32 to 65536 (default: 2048)" },
  "external-id": { value: "ID", help: "your own id of the ingested content, unique in the namespace and tenant" },
  "on-conflict": {
    value: "WORD",
    help: "if --external-id is taken: fail, skip (keep the existing content) or replace (default: fail)",
  },
  dedupe: { help: "skip files whose content and options are those of an existing document" },
  include: { value: "GLOB", multiple: true, help: "only matching files in the folder; can be repeated" },
  exclude: { value: "GLOB", multiple: true, help: "files and folders to leave out; can be repeated" },
  "max-depth": { value: "N", help: "pages on the path from the start page, which counts as 1 (default: 5)" },
  limit: { value: "N", help: "maximum number of documents (default: 50)" },
  "include-path": {
    value: "PATH",
    multiple: true,
    help: "only pages at or below this path, such as /docs; can be repeated",
  },
  "exclude-path": { value: "PATH", multiple: true, help: "no pages at or below this path; can be repeated" },
  header: { value: "TEXT", multiple: true, help: "sent to the start page's origin, such as 'Accept-Language: de'" },
  replace: { help: "delete earlier crawls of the URL with other options once this one has completed" },
  source: { value: "NAME", help: "identifies the folder if it moves (default: its path)" },
  "delete-excluded": { help: "delete the documents of files that the patterns leave out" },
  "allow-empty": { help: "delete every document if the folder was replaced by an empty one" },
  watch: { short: "w", help: "keep running and sync again after every change, until Ctrl-C" },
  settings: { value: "FILE", help: "YAML or JSON list of settings to compare, each a name and search options" },
  baseline: { value: "FILE", help: "earlier --json output; the command fails if a measure has dropped since" },
  "max-drop": { value: "N", help: "drop from the baseline that is allowed unless significant (default: 0.01)" },
  "fail-below": { value: "LIST", help: "minimum means, such as nDCG@10=0.68 or hybrid:recall@5=0.9" },
  port: { short: "p", value: "N", help: "port to listen on; 0 chooses a free one (default: 3000)" },
  host: { value: "ADDRESS", help: "address to listen on (default: 127.0.0.1, this machine only)" },
  "public-url": { value: "URL", help: "address at which clients reach the server, for signed URLs and pages" },
  "page-metadata": {
    value: "KEY",
    multiple: true,
    help: "metadata that visitors of hosted pages see; can be repeated",
  },
  "frame-ancestor": {
    value: "ORIGIN",
    multiple: true,
    help: "site that may embed the hosted pages, such as https://www.example.com; can be repeated",
  },
  "trust-proxy": { value: "N", help: "proxies before the server, whose x-forwarded-for gives a visitor's address" },
  name: { value: "NAME", help: "name of the key in lists" },
  scope: { value: "SCOPE", help: "what the key may do: read, write or admin (default: read)" },
  organization: { value: "ID", help: "organization that owns the key (default: the one of embedded use)" },
  status: { value: "STATUS", help: "only those with this status, such as FAILED" },
  yes: { help: "confirm the deletion" },
  json: { help: "print one JSON document on stdout and everything else on stderr" },
  help: { short: "h", help: "show help" },
  version: { short: "v", help: "show the version" },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;

/** The given options: a string for one with a value, an array for one that can be repeated, `true` for a switch. */
export type FlagValues = { readonly [K in FlagName]?: ValueOf<(typeof FLAGS)[K]> };
type ValueOf<F> = F extends { multiple: true } ? readonly string[] : F extends { value: string } ? string : true;

/** Options of commands that work on one namespace. */
export const NAMESPACE_FLAGS = ["directory", "namespace", "tenant"] as const satisfies readonly FlagName[];
/** Options of commands that add documents, see `parseIngestFlags`. */
export const INGEST_FLAGS = ["embedding", "model", "metadata", "chunk-size"] as const satisfies readonly FlagName[];
