import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);

/** Everything that a fresh process loads when it imports an entry of the package. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const hooks = `export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }`;
  const register = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hooks)}");`;
  const { stderr } = await run(process.execPath, [
    ...["--import", `data:text/javascript,${encodeURIComponent(register)}`],
    ...["--input-type=module", "--eval", `await import(${JSON.stringify(entry)})`],
  ]);
  return stderr.split("\n").filter((line) => /^(?:file|node):/.test(line));
}

it("importing the package loads neither parsers nor the database nor a model", async () => {
  const loaded = await loadedBy(new URL("../dist/index.js", import.meta.url).href);
  const gathered = loaded.find((url) => url.endsWith("/dist/index.gathered.js"))!;
  // The bundler names each file that it has put into one in a comment.
  const sources = (await readFile(new URL(gathered), "utf8")).match(/^\/\/ \S+\.[jt]s$/gm) ?? [];
  expect(sources).toContain("// dist/knowledge-base.js");
  const heavy = /\/(?:dist|src)\/(?:parsers|chunkers|embedders|local-models)\/|node_modules\/(?!zod\/)/;
  expect([...loaded, ...sources].filter((url) => heavy.test(url))).toEqual([]);
});

const ENTRIES = ["index", "create-engine", "crawl/index", "parse-workers/thread"];
/** Formats that few users have. */
const NICHE = ["asciidoc", "doc", "epub", "fb2", "ipynb", "latex", "msg", "odf", "org", "ppt", "rst", "rtf", "xls"];

/** The modules of `src` that importing an entry loads; dynamic imports load theirs later. */
const modules = new Map<string, readonly string[]>();

beforeAll(async () => {
  const inputs = await graphOf(ENTRIES.map((entry) => `src/${entry}.ts`));
  for (const entry of ENTRIES) {
    const found = new Set([`src/${entry}.ts`]);
    for (const path of found) {
      for (const { kind, path: imported, external } of inputs[path]!.imports)
        if (kind === "import-statement" && !external) found.add(imported);
    }
    modules.set(entry, [...found]);
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
  return modules.get(entry)!.filter((path) => folders.some((folder) => path.startsWith(`src/${folder}/`)));
}

describe("what is loaded before it is used", () => {
  it("is no parser, crawler or evaluation in the case of lorebase", () => {
    expect(modulesIn("index", "parsers", "crawl", "evaluate", "sync", "ingest")).toEqual([]);
    expect(modulesIn("create-engine", "crawl", "evaluate")).toEqual([]);
  });

  it("is never the command, the server or the entries of evaluation and crawl, whatever a knowledge base does", async () => {
    const reached = Object.keys(await graphOf(["dist/index.js"]));
    expect(reached).toContain("dist/crawl/discover-pages.js");
    expect(reached.filter((path) => /^dist\/(?:cli|http|evaluate\/index|crawl\/index)\b/.test(path))).toEqual([]);
  });

  it("is no part of a knowledge base in the case of lorebase/crawl", () => {
    const parts = ["storage", "engine", "ingest", "resources", "search", "embedders", "chunkers", "parse-workers"];
    expect(modulesIn("crawl/index", ...parts)).toEqual([]);
    expect(modules.get("crawl/index")).not.toContain("src/knowledge-base.ts");
  });

  it.each(NICHE)("is only the definition of the %s parser in a parser thread", (format) => {
    expect(modulesIn("parse-workers/thread", `parsers/${format}`)).toEqual([`src/parsers/${format}/parser.ts`]);
  });
});
