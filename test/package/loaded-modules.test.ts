import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

const ENTRIES = ["index", "create-engine", "crawl/index", "parse-workers/thread"];
/** Formats that few users have. */
const NICHE = ["asciidoc", "doc", "epub", "fb2", "ipynb", "latex", "msg", "odf", "org", "ppt", "rst", "rtf", "xls"];

/** The modules of `src` that importing an entry loads; dynamic imports load theirs later. */
const loaded = new Map<string, readonly string[]>();

beforeAll(async () => {
  const inputs = await graphOf(ENTRIES.map((entry) => `src/${entry}.ts`));
  for (const entry of ENTRIES) {
    const found = new Set([`src/${entry}.ts`]);
    for (const path of found) {
      for (const { kind, path: imported, external } of inputs[path]!.imports)
        if (kind === "import-statement" && !external) found.add(imported);
    }
    loaded.set(entry, [...found]);
  }
});

/** Imports of the given modules and of all that they lead to. */
async function graphOf(entryPoints: string[]): Promise<Metafile["inputs"]> {
  const { metafile } = await build({
    entryPoints,
    outdir: "dist",
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    external: ["./kernel.js"],
    write: false,
    metafile: true,
    ignoreAnnotations: true,
  });
  return metafile.inputs;
}

/** The loaded modules in any of the folders of `src`. */
function modulesIn(entry: string, ...folders: readonly string[]): string[] {
  return loaded.get(entry)!.filter((path) => folders.some((folder) => path.startsWith(`src/${folder}/`)));
}

describe("what is loaded before it is used", () => {
  it("is no parser, crawler or evaluation in the case of lorebase", () => {
    expect(modulesIn("index", "parsers", "crawl", "evaluate", "sync", "ingest")).toEqual([]);
    expect(modulesIn("create-engine", "crawl", "evaluate")).toEqual([]);
  });

  it("is never the command, the server, the evaluation or the crawl entry, whatever a knowledge base does", async () => {
    const reached = Object.keys(await graphOf(["dist/index.js"]));
    expect(reached).toContain("dist/crawl/discover-pages.js");
    expect(reached.filter((path) => /^dist\/(?:cli|http|evaluate|crawl\/index)\b/.test(path))).toEqual([]);
  });

  it("is no part of a knowledge base in the case of lorebase/crawl", () => {
    const parts = ["storage", "engine", "ingest", "resources", "search", "embedders", "chunkers", "parse-workers"];
    expect(modulesIn("crawl/index", ...parts)).toEqual([]);
    expect(loaded.get("crawl/index")).not.toContain("src/knowledge-base.ts");
  });

  it.each(NICHE)("is only the definition of the %s parser in a parser thread", (format) => {
    expect(modulesIn("parse-workers/thread", `parsers/${format}`)).toEqual([`src/parsers/${format}/parser.ts`]);
  });
});
