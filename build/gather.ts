import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

/** What an open knowledge base has loaded: the main entry of the package, and the engine. */
const MAIN = "index.js";
const ENGINE = "create-engine.js";

/**
 * Puts the modules that an entry loads when it is imported into one file beside it, `<entry>.gathered.js`: to find, open and compile a
 * hundred small files takes longer than all that they do. In the place of each stays a file that re-exports what it exported, so that what
 * imports one of them by itself shares it. A module that one of `starts`, a thread or an open knowledge base loads without the entry
 * keeps a file of its own: with the gathered file, it would load all the others.
 *
 * @param dist Folder of the built modules, one for each source file. Other paths are below it.
 * @param entries Each is loaded after those before it, so modules that two of them load go with the first. None of their modules may wait
 *   at its top level for one that is imported later and itself imports one of them: they would wait for each other.
 * @param starts All modules that are imported by themselves.
 */
export async function gather(dist: string, entries: readonly string[], starts: readonly string[]): Promise<void> {
  const roots = [...new Set([...entries, ...starts, ...(await startedApart(dist))])];
  const graph = await graphOf(dist, roots);
  const taken = new Set<string>();
  const gathered = entries.map((entry, order) => {
    const later = entries.slice(order);
    const others = [...roots.filter((root) => !later.includes(root)), ...importsWithout(graph, entry)]
      .map((root) => loadedBy(graph, root))
      .filter((loaded) => !loaded.has(entry));
    const modules = [...loadedBy(graph, entry)].filter(
      (path) => !path.startsWith("vendor/") && !taken.has(path) && !others.some((loaded) => loaded.has(path)),
    );
    for (const path of modules) taken.add(path);
    return { file: entry.replace(/\.js$/, ".gathered.js"), modules };
  });
  const exported = await exportsOf(
    dist,
    gathered.flatMap(({ modules }) => modules),
  );
  for (const { file, modules } of gathered) await bundle(dist, file, modules, exported);
  for (const { file, modules } of gathered) {
    for (const [number, path] of modules.entries()) {
      const stub = handOn(toFile(path, file), exported.get(path)!, (name) => `${renamed(name, number)} as ${name}`);
      await writeFile(join(dist, path), `${stub}\n`);
    }
  }
}

async function bundle(dist: string, file: string, modules: readonly string[], exported: Exports): Promise<void> {
  const contents = modules.map((path, number) =>
    handOn(toFile(file, path), exported.get(path)!, (name) => `${name} as ${renamed(name, number)}`),
  );
  await build({
    stdin: { contents: contents.join("\n"), resolveDir: dirname(join(dist, file)), sourcefile: `${file}.list` },
    outfile: join(dist, file),
    bundle: true,
    format: "esm",
    target: "node20",
    platform: "node",
    packages: "external",
    // What the package says of side effects is meant for its users' bundlers.
    ignoreAnnotations: true,
    plugins: [onlyOf(dist, new Set(modules), file)],
  });
}

function handOn(from: string, names: readonly string[], spell: (name: string) => string): string {
  if (names.length === 0) return `import "${from}";`;
  return `export { ${names.map(spell).join(", ")} } from "${from}";`;
}

/** Modules that are started as threads or processes of their own. */
async function startedApart(dist: string): Promise<readonly string[]> {
  const paths = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith(".js"));
  const found = await Promise.all(
    paths.map(async (path) => {
      const started = (await readFile(join(dist, path), "utf8")).matchAll(
        /new URL\("(\.[^"]+\.js)", import\.meta\.url\)/g,
      );
      return Array.from(started, ([, target]) => join(dirname(path), target!));
    }),
  );
  return [...new Set(found.flat())];
}

type Exports = ReadonlyMap<string, readonly string[]>;

type Graph = Metafile["inputs"];

/** What all modules import that the entries load, by paths below `dist`. */
async function graphOf(dist: string, entries: readonly string[]): Promise<Graph> {
  const { metafile } = await build({
    entryPoints: [...entries],
    absWorkingDir: dist,
    outdir: dist,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    write: false,
    metafile: true,
    ignoreAnnotations: true,
  });
  return metafile.inputs;
}

/** What an open knowledge base may import dynamically before it has loaded the given module. */
function importsWithout(graph: Graph, without: string): string[] {
  if (loadedBy(graph, MAIN).has(without) || loadedBy(graph, ENGINE).has(without)) return [];
  const reached = new Set([MAIN]);
  const targets = new Set<string>();
  for (const path of reached) {
    if (path === without) continue;
    for (const { kind, path: imported } of graph[path]!.imports) {
      if (graph[imported] === undefined) continue;
      reached.add(imported);
      if (kind === "dynamic-import") targets.add(imported);
    }
  }
  return [...targets].filter((path) => path !== without);
}

/** Modules that importing one loads, itself included. */
function loadedBy(graph: Graph, entry: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const add = (path: string) => {
    if (loaded.has(path) || graph[path] === undefined) return;
    loaded.add(path);
    for (const { kind, path: imported } of graph[path].imports) if (kind === "import-statement") add(imported);
  };
  add(entry);
  return loaded;
}

async function exportsOf(dist: string, modules: readonly string[]): Promise<Exports> {
  const { metafile } = await build({
    entryPoints: [...modules],
    absWorkingDir: dist,
    outdir: dist,
    outbase: dist,
    format: "esm",
    write: false,
    metafile: true,
    allowOverwrite: true,
  });
  return new Map(Object.entries(metafile.outputs).map(([path, output]) => [path, output.exports]));
}

/** Takes the given modules in, leaves imports of others and those that come later to Node, and keeps each module's own `import.meta.url`. */
function onlyOf(dist: string, modules: ReadonlySet<string>, file: string): Plugin {
  return {
    name: "only-of",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) => {
        const target = relative(dist, resolve(resolveDir, path));
        if (kind !== "dynamic-import" && modules.has(target)) return { path: join(dist, target) };
        return { path: toFile(file, target), external: true };
      });
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        const contents = await readFile(path, "utf8");
        const own = `new URL(${JSON.stringify(toFile(file, relative(dist, path)))}, import.meta.url).href`;
        return { contents: contents.replaceAll("import.meta.url", own), loader: "js" };
      });
    },
  };
}

/** How a module of `dist` names another one. */
function toFile(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

function renamed(name: string, number: number): string {
  return `${name}$${number}`;
}
