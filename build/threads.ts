import { join } from "node:path";
import { build, type Plugin } from "esbuild";

/**
 * Bundles the code of each thread into one CommonJS file: a thread that loads no ECMAScript module starts without Node's
 * loader of those, and without its scan of the exports of every CommonJS package.
 *
 * @param entries The threads' modules, relative to `source`, without extension.
 */
export async function buildThreads(
  source: string,
  dist: string,
  entries: readonly string[],
  plugins: Plugin[],
): Promise<void> {
  await build({
    entryPoints: entries.map((entry) => join(source, `${entry}.ts`)),
    outbase: source,
    outdir: dist,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    target: "node20",
    platform: "node",
    packages: "external",
    // CommonJS isn't strict by itself, and has no import.meta.
    banner: { js: '"use strict"; const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { "import.meta.url": "moduleUrl" },
    plugins,
    logLevel: "warning",
  });
}
