import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

/** What an open knowledge base has loaded: the main entry of the package, and the engine. */
const MAIN = "index.js";
const ENGINE = "create-engine.js";

/**
 * Bundles the modules that an entry imports statically into one file next to it, `<entry>.gathered.js`, since finding,
 * opening and compiling a hundred small files takes longer than running them. Each module is replaced by a file that
 * re-exports its exports from the bundle, so that other importers share it. Modules that one of `starts`, a thread or
 * an open knowledge base loads without the entry stay as they are.
 *
 * @param dist The folder of the built modules, one for each source file. Other paths are relative to it.
 * @param entries Entries in order of loading: modules of several entries go to the first. None of their modules may use
 * top-level await for a dynamic import of a module that imports one of them, which would deadlock.
 * @param starts Other modules that are imported directly.
 * @param stubs Modules that earlier calls replaced. Bundles import from their bundles directly; this call adds its own.
 */
export async function gather(
  dist: string,
  entries: readonly string[],
  starts: readonly string[],
  stubs: Set<string>,
): Promise<void> {
  const roots = [...new Set([...entries, ...starts, ...(await findWorkerModules(dist))])];
  const graph = await importGraph(dist, roots);
  const assigned = new Set<string>();
  const gathered = entries.map((entry, order) => {
    const later = entries.slice(order);
    const others = [...roots.filter((root) => !later.includes(root)), ...importsWithout(graph, entry)]
      .map((root) => staticImports(graph, root))
      .filter((loaded) => !loaded.has(entry));
    const modules = [...staticImports(graph, entry)].filter(
      (path) => !path.startsWith("vendor/") && !assigned.has(path) && !others.some((loaded) => loaded.has(path)),
    );
    for (const path of modules) assigned.add(path);
    return { file: entry.replace(/\.js$/, ".gathered.js"), modules };
  });
  await bundleAll(dist, gathered, stubs);
}

/** Bundles the modules of a folder, which several entries import in part, into `<folder>.gathered.js`. */
export async function gatherFolder(dist: string, folder: string, stubs: Set<string>): Promise<void> {
  const names = (await readdir(join(dist, folder))).filter((name) => name.endsWith(".js"));
  const modules = names.map((name) => `${folder}/${name}`);
  await bundleAll(dist, [{ file: `${folder}.gathered.js`, modules }], stubs);
}

interface Gathered {
  readonly file: string;
  readonly modules: readonly string[];
}

async function bundleAll(dist: string, gathered: readonly Gathered[], stubs: Set<string>): Promise<void> {
  const exported = await exportsOf(
    dist,
    gathered.flatMap(({ modules }) => modules),
  );
  for (const { file, modules } of gathered) await bundle(dist, file, modules, { exported, stubs });
  for (const { file, modules } of gathered) {
    for (const [number, path] of modules.entries()) {
      const stub = reExport(
        specifier(path, file),
        exported.get(path)!,
        (name) => `${uniqueName(name, number)} as ${name}`,
      );
      await writeFile(join(dist, path), `${stub}\n`);
      stubs.add(path);
    }
  }
}

async function bundle(
  dist: string,
  file: string,
  modules: readonly string[],
  { exported, stubs }: { readonly exported: Exports; readonly stubs: ReadonlySet<string> },
): Promise<void> {
  const contents = modules.map((path, number) =>
    reExport(specifier(file, path), exported.get(path)!, (name) => `${name} as ${uniqueName(name, number)}`),
  );
  await build({
    stdin: { contents: contents.join("\n"), resolveDir: dirname(join(dist, file)), sourcefile: `${file}.list` },
    outfile: join(dist, file),
    bundle: true,
    format: "esm",
    target: "node20",
    platform: "node",
    packages: "external",
    // The package's `sideEffects` is meant for the bundlers of its users.
    ignoreAnnotations: true,
    plugins: [bundleOnly(dist, new Set([...modules, ...stubs]), file)],
  });
}

function reExport(from: string, names: readonly string[], format: (name: string) => string): string {
  if (names.length === 0) return `import "${from}";`;
  return `export { ${names.map(format).join(", ")} } from "${from}";`;
}

/** Finds the modules that are started as threads or processes. */
async function findWorkerModules(dist: string): Promise<readonly string[]> {
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

/** The imports of all modules that the entries load, by path relative to `dist`. */
async function importGraph(dist: string, entries: readonly string[]): Promise<Graph> {
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
  if (staticImports(graph, MAIN).has(without) || staticImports(graph, ENGINE).has(without)) return [];
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

/** The modules that importing an entry loads, including itself. */
function staticImports(graph: Graph, entry: string): ReadonlySet<string> {
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

/**
 * Bundles only the given modules, leaves other and dynamic imports to Node, and keeps the `import.meta.url` of each.
 */
function bundleOnly(dist: string, modules: ReadonlySet<string>, file: string): Plugin {
  return {
    name: "bundle-only",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) => {
        const target = relative(dist, resolve(resolveDir, path));
        if (kind !== "dynamic-import" && modules.has(target)) return { path: join(dist, target) };
        return { path: specifier(file, target), external: true };
      });
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        const contents = await readFile(path, "utf8");
        const own = `new URL(${JSON.stringify(specifier(file, relative(dist, path)))}, import.meta.url).href`;
        return { contents: contents.replaceAll("import.meta.url", own), loader: "js" };
      });
    },
  };
}

/** The import specifier from one module of `dist` to another. */
function specifier(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

function uniqueName(name: string, number: number): string {
  return `${name}$${number}`;
}
