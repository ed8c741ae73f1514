/**
 * The layers of `src` from top to bottom: a folder, or a file at the root of `src`, imports only from rows below its own, and its row's
 * other members never. `biome.layers.json` is generated from this table; `test/layers.test.ts` checks every import by it.
 */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  edge: [["cli"], ["http", "evaluate"], ["testing"]],
  surface: [
    ["index"],
    ["knowledge-base"],
    ["organization-handle"],
    ["namespace-handle"],
    ["create-engine", "parse"],
    ["options"],
  ],
  engine: [["resources", "sync", "crawl", "ingest", "search"], ["engine"]],
  services: [["sources", "parse-workers"], ["providers"], ["resilience"], ["secrets"], ["events"], ["storage"]],
  drivers: [
    ["parsers", "chunkers", "embedders", "rerankers", "language-models", "vector-stores", "blob-stores"],
    ["local-models", "vector-scan", "text-analysis"],
  ],
  base: [["net"], ["interfaces"], ["domain", "validation"]],
  ground: [["filter"], ["errors", "types"], ["util", "vendor"]],
};

/** Parts of the edge that use the package as its users do: of the layers down to services they import `surface` only. */
export const CLIENTS: { readonly parts: readonly string[]; readonly surface: readonly string[] } = {
  parts: ["cli", "http", "evaluate"],
  surface: ["index", "parse", "create-engine"],
};
