/** A command-line option. */
export interface Flag {
  readonly short?: string;
  /** Stands for the option's value in the help; absent for a switch. */
  readonly placeholder?: string;
  /** Whether the option can be given more than once. */
  readonly multiple?: true;
  readonly help: string;
}

/** The options of all commands. */
export const FLAGS = {
  directory: {
    short: "d",
    placeholder: "PATH",
    help: "directory of the knowledge base (default: LOREBASE_DIRECTORY, else ./lorebase)",
  },
  database: {
    placeholder: "URL",
    help: "PostgreSQL database, as postgres://user:password@host/name (default: LOREBASE_DATABASE, else the directory)",
  },
  "shared-directory": { help: "store files in the directory, which all processes that use the database have" },
  blobs: {
    placeholder: "URL",
    help: "bucket for files, as s3://bucket/prefix?region=eu-central-1&endpoint=https://… (default: LOREBASE_BLOBS, else the directory)",
  },
  "read-only": { help: "write nothing to the directory, whose file system may be read-only" },
  slug: { placeholder: "SLUG", help: "slug of the new namespace (default: that of the exported one)" },
  originals: { help: "include the uploaded files of the documents" },
  "skip-damaged": { help: "leave out documents and originals that are damaged, and name them" },
  reembed: { help: "embed passages again whose vectors are missing or were computed by another embedder" },
  "chunks-per-second": { placeholder: "N", help: "passages to embed per second at most (default: no limit)" },
  "cut-over": { help: "let searches use the new model as soon as all passages are embedded" },
  "ignore-guard": { help: "cut over even if the golden questions become significantly worse" },
  "abandon-store": { help: "leave the vectors in their store, whose service is gone for good" },
  estimate: { help: "only say what it takes" },
  "include-secret-key": { help: "copy secret.key too, which decrypts the providers' keys in the backup" },
  verify: { help: "restore the backup into a temporary directory and check it there" },
  rate: { placeholder: "MB", help: "megabytes to copy per second (default: 33)" },
  to: {
    placeholder: "URL",
    help: "where to copy everything: postgres://user:password@host/name, or a directory",
  },
  "keep-blobs": { help: "leave files in the bucket of --blobs, which both knowledge bases use" },
  namespace: { short: "n", placeholder: "SLUG", help: "namespace, by slug or id (default: default)" },
  tenant: { placeholder: "ID", help: "tenant of the namespace (default: none)" },
  embedding: { placeholder: "PROVIDER", help: "embedder of a newly created namespace, such as MANAGED_STATIC" },
  model: { placeholder: "NAME", help: "embedding model, by name or local path; needs --embedding" },
  "vector-store": {
    placeholder: "PROVIDER",
    help: "of the new vectors, such as MANAGED_PGVECTOR, or a JSON file with a vectorStoreConfig",
  },
  mode: {
    short: "m",
    placeholder: "MODE",
    help: "hybrid (default), semantic or keyword; eval runs all of them by default",
  },
  "top-k": { short: "k", placeholder: "N", help: "passages to return (default: 5)" },
  reranker: {
    placeholder: "NAME",
    help: "transformers[:<model>], or cohere, zeroentropy with COHERE_API_KEY, ZEROENTROPY_API_KEY",
  },
  explain: { help: "show the rank and score of each passage at every stage" },
  filter: { placeholder: "JSON", help: 'only passages whose metadata matches, such as \'{"year":{"$gte":2025}}\'' },
  "order-by": { placeholder: "KEY", help: "metadata key to order by (default: the creation of documents)" },
  ascending: { help: "the least values, or the oldest documents, first" },
  "one-per-document": { help: "only the first matching passage of each document" },
  cursor: { placeholder: "TEXT", help: "cursor of the page, as printed below the previous one" },
  allow: {
    placeholder: "NAME",
    multiple: true,
    help: "principal that may see every document, such as group:eng; can be repeated (default: all)",
  },
  principal: {
    placeholder: "NAME",
    multiple: true,
    help: "show what this principal may see, such as user:7; can be repeated (default: everything)",
  },
  metadata: { placeholder: "JSON", help: "metadata of every document, such as '{\"year\":2026}'" },
  "chunk-size": { placeholder: "N", help: "characters of a chunk, 32 to 65536 (default: 2048)" },
  "external-id": {
    placeholder: "ID",
    help: "your own id for the ingested content, unique in the namespace and tenant",
  },
  "on-conflict": {
    placeholder: "WORD",
    help: "if --external-id is taken: fail, skip (keep the existing content) or replace (default: fail)",
  },
  dedupe: { help: "skip files with the same content and options as an existing document" },
  include: { placeholder: "GLOB", multiple: true, help: "only matching files in the folder; can be repeated" },
  exclude: { placeholder: "GLOB", multiple: true, help: "files and folders to leave out; can be repeated" },
  "max-depth": {
    placeholder: "N",
    help: "how far to follow links; 1 is the start page alone (default: 5)",
  },
  limit: { placeholder: "N", help: "maximum number of documents, or of questions to generate (default: 50)" },
  "include-path": {
    placeholder: "PATH",
    multiple: true,
    help: "only pages at or below this path, such as /docs; can be repeated",
  },
  "exclude-path": { placeholder: "PATH", multiple: true, help: "no pages at or below this path; can be repeated" },
  header: {
    placeholder: "TEXT",
    multiple: true,
    help: "header for requests to the start page's origin, such as 'Accept-Language: de'",
  },
  replace: { help: "delete earlier crawls of the URL with other options once this crawl has completed" },
  source: { placeholder: "NAME", help: "name that identifies the folder even if it moves (default: its path)" },
  "delete-excluded": { help: "delete the documents of files that the patterns leave out" },
  "allow-all": { help: "let everybody see the documents" },
  "allow-empty": { help: "delete every document if the folder was replaced by an empty one" },
  watch: { short: "w", help: "keep running and sync again after every change, until Ctrl-C" },
  "per-document": { placeholder: "N", help: "maximum number of questions of one document (default: 3)" },
  after: { placeholder: "ID", help: "document after which questions are made, as printed by the previous call" },
  "min-clicks": { placeholder: "N", help: "clicks on a document that make it an answer (default: 3)" },
  "use-llm": { help: "let the language model of LOREBASE_LLM_MODEL write the questions" },
  settings: { placeholder: "FILE", help: "YAML or JSON list of settings to compare, each a name and search options" },
  queries: { placeholder: "N", help: "sampled queries to search for at most, 0 to 1000 (default: 200)" },
  baseline: {
    placeholder: "FILE",
    help: "output of an earlier run with --json; the command fails if a measure has dropped since",
  },
  "max-drop": {
    placeholder: "N",
    help: "largest allowed drop from the baseline that is not significant (default: 0.01)",
  },
  "fail-below": { placeholder: "LIST", help: "minimum means, such as nDCG@10=0.68 or hybrid:recall@5=0.9" },
  port: { short: "p", placeholder: "N", help: "port to listen on; 0 chooses a free one (default: 3000)" },
  host: { placeholder: "ADDRESS", help: "address to listen on (default: 127.0.0.1, this machine only)" },
  "public-url": { placeholder: "URL", help: "address at which clients reach the server, for signed URLs and pages" },
  "page-metadata": {
    placeholder: "KEY",
    multiple: true,
    help: "metadata key that visitors of hosted pages see; can be repeated",
  },
  "frame-ancestor": {
    placeholder: "ORIGIN",
    multiple: true,
    help: "site that may embed the hosted pages, such as https://www.example.com; can be repeated",
  },
  "no-worker": { help: "answer requests only; leave jobs to lorebase work" },
  metrics: { help: "collect metrics, which /metrics returns to an admin key of the default organization" },
  "metrics-port": {
    placeholder: "N",
    help: "port for /metrics, /healthz and /readyz without a key; 0 chooses a free one",
  },
  "metrics-host": { placeholder: "ADDRESS", help: "address for --metrics-port (default: 127.0.0.1)" },
  concurrency: { placeholder: "N", help: "jobs to run at a time (default: 2)" },
  "trust-proxy": {
    placeholder: "N",
    help: "number of reverse proxies in front of the server, to read visitors' addresses from x-forwarded-for",
  },
  name: { placeholder: "NAME", help: "name of the key or evaluation in lists" },
  event: {
    placeholder: "TYPE",
    multiple: true,
    help: "event to send, such as document.completed; can be repeated (default: all)",
  },
  description: { placeholder: "TEXT", help: "description of the webhook in lists" },
  scope: { placeholder: "SCOPE", help: "what the key may do: read, write or admin (default: read)" },
  organization: {
    placeholder: "ID",
    help: "organization that owns the key, namespace or webhook (default: the default one)",
  },
  "max-documents": { placeholder: "N", help: "documents that the organization may store, or none for no limit" },
  "max-bytes": { placeholder: "N", help: "bytes of sources that the organization may store, or none for no limit" },
  "max-tokens": { placeholder: "N", help: "tokens of passages that the organization may store, or none for no limit" },
  "stale-after": { placeholder: "DAYS", help: "days after which unchanged documents are stale (default: 365)" },
  "max-seconds": { placeholder: "N", help: "how long to check new passages (default: until all are checked)" },
  status: { placeholder: "STATUS", help: "only records with this status, such as FAILED" },
  repair: { help: "build derived data again, and mark documents that lost content as FAILED" },
  rewrite: { help: "write the whole database file anew; writes wait until it is done" },
  yes: { help: "confirm the deletion" },
  json: { help: "print one JSON document on stdout and everything else on stderr" },
  help: { short: "h", help: "show help" },
  version: { short: "v", help: "show the version" },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;

/** The given options: strings, arrays for options that can be repeated, and `true` for switches. */
export type FlagValues = { readonly [K in FlagName]?: ValueOf<(typeof FLAGS)[K]> };
type ValueOf<F> = F extends { multiple: true } ? readonly string[] : F extends { placeholder: string } ? string : true;

/** Options of commands that open a knowledge base, see `parseStorageFlags`. */
export const STORAGE_FLAGS = [
  "directory",
  "database",
  "shared-directory",
  "blobs",
] as const satisfies readonly FlagName[];
/** Options of commands that work on one namespace. */
export const NAMESPACE_FLAGS = [...STORAGE_FLAGS, "namespace", "tenant"] as const satisfies readonly FlagName[];
/** Options of commands that add documents, see `parseIngestFlags`. */
export const INGEST_FLAGS = [
  "embedding",
  "model",
  "metadata",
  "allow",
  "chunk-size",
] as const satisfies readonly FlagName[];
