/**
 * The layers of `src` from top to bottom: a folder, or a file at the root of `src`, imports only from rows below its own, and its row's
 * other members never. `biome.layers.json` is generated from this table; `test/layers.test.ts` checks every import by it.
 */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  edge: [["cli"], ["http", "evaluate", "testing"]],
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

/** What the edge may import of the surface, and nothing between that and the base. */
export const EDGE_IMPORTS: readonly string[] = ["index", "parse", "create-engine"];
