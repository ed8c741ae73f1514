/**
 * The layers of `src` from top to bottom. A folder, or a file at the root of `src`, imports only from rows below its
 * own, so never from other members of its row. `biome.layers.json` is generated from this table, and
 * `test/layers.test.ts` checks every import by it.
 */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  edge: [["cli", "page"], ["http"], ["agents"], ["testing"]],
  surface: [
    ["index"],
    ["knowledge-base"],
    ["organization-handle"],
    ["namespace-handle"],
    ["create-engine", "parse"],
    ["options"],
  ],
  engine: [
    ["answer", "backup", "bundle", "evaluate", "health", "transfer"],
    ["resources", "sync", "crawl", "ingest", "search"],
    ["engine"],
  ],
  services: [
    ["sources", "parse-workers"],
    ["providers"],
    ["resilience"],
    ["webhooks"],
    ["secrets"],
    ["events"],
    ["storage"],
  ],
  drivers: [
    ["parsers", "chunkers", "embedders", "rerankers", "language-models", "vector-stores", "blob-stores"],
    ["local-models", "vector-scan", "text-analysis"],
  ],
  base: [["net"], ["interfaces"], ["domain", "validation", "rpc", "telemetry"]],
  ground: [["filter"], ["errors", "types"], ["util", "vendor"]],
};

/** Parts of the edge that use the package like its users: of the layers above drivers they import only `surface`. */
export const CLIENTS: { readonly parts: readonly string[]; readonly surface: readonly string[] } = {
  parts: ["cli", "http", "agents"],
  surface: ["index", "parse", "evaluate", "create-engine"],
};
