import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import asc from "assemblyscript/asc";
import { defineConfig, type Options } from "tsup";
import { gather, gatherFolder } from "./build/gather.js";
import { buildPage } from "./build/page.js";
import { buildThreads } from "./build/threads.js";

/** The threads that most knowledge bases start: they are bundled, see docs/decisions/0072-threads-in-commonjs.md. */
const THREADS = [
  "storage/sqlite/thread",
  "storage/sqlite/scan-thread",
  "embedders/lexical/thread",
  "embedders/static/thread",
];

// One output file per source file: worker threads are found beside the module that starts them, and what a reader finds in node_modules
// has the shape of the repository. The exceptions are what every start loads: two packages of hundreds of modules, the threads that
// most knowledge bases start, and what the package, its server and its command load when they begin.
export default defineConfig({
  entry: [
    "src/**/*.ts",
    "!src/**/*.d.ts",
    "!src/page/**",
    ...THREADS.map((entry) => `!src/${entry}.ts`),
    "src/**/kernel.as",
  ],
  bundle: false,
  splitting: false,
  format: "esm",
  target: "node20",
  platform: "node",
  dts: false,
  clean: true,
  esbuildPlugins: [assemblyScript(), inOneFile()],
  onSuccess: async () => {
    const starts = [
      "index.js",
      "storage/start-database.js",
      "create-engine.js",
      "http/index.js",
      "parse.js",
      "crawl/index.js",
      "evaluate/index.js",
      "agents/ai-sdk.js",
      "webhooks/index.js",
      "testing/index.js",
      "cli/main.js",
    ];
    const dist = resolve("dist");
    await buildPage(resolve("src/page"), join(dist, "http/page/page-files.js"));
    await buildThreads(resolve("src"), dist, THREADS, [assemblyScript()]);
    const stubs = new Set<string>();
    await gather(dist, ["parsers/parse-document.js"], starts, stubs);
    await gather(dist, ["net/check-public-url.js", "net/guarded-fetch.js"], starts, stubs);
    for (const folder of ["validation", "chunkers", "rpc"]) await gatherFolder(dist, folder, stubs);
    await gather(dist, ["index.js", "create-engine.js"], starts, stubs);
    await gather(dist, ["ingest/job-runner.js"], starts, stubs);
    await gather(dist, ["crawl/crawl.js"], starts, stubs);
    await gather(dist, ["http/index.js"], starts, stubs);
    // What is below the command's main module, since that waits for its command.
    await gather(dist, ["cli/run.js"], starts, stubs);
  },
});

/** The packages of the files in `src/vendor`. */
const VENDORS: Readonly<Record<string, string>> = { opentelemetry: "@opentelemetry/api", numfmt: "numfmt", zod: "zod" };

/** Bundles the packages of `src/vendor` into one file each, under their own licences. */
function inOneFile(): NonNullable<Options["esbuildPlugins"]>[number] {
  return {
    name: "in-one-file",
    setup({ esbuild, onLoad }) {
      onLoad({ filter: /src[\\/]vendor[\\/]\w+\.ts$/ }, async ({ path }) => {
        const { outputFiles } = await esbuild.build({
          entryPoints: [path],
          bundle: true,
          format: "esm",
          target: "node20",
          platform: "node",
          plugins: [englishAlone()],
          write: false,
        });
        const licence = await readFile(`node_modules/${VENDORS[basename(path, ".ts")]}/LICENSE`, "utf8");
        return { contents: `/*! ${licence}*/\n${outputFiles[0]!.text}`, loader: "js" };
      });
    },
  };
}

/** Leaves the messages of zod in other languages out, half of what it is: the errors of the library are in English. */
function englishAlone(): NonNullable<Options["esbuildPlugins"]>[number] {
  return {
    name: "english-alone",
    setup({ onLoad }) {
      onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: 'export { default as en } from "./en.js";',
      }));
    },
  };
}

/** AssemblyScript becomes a module that exports the WebAssembly as base64: nothing is read from a file when it runs. */
function assemblyScript(): NonNullable<Options["esbuildPlugins"]>[number] {
  return {
    name: "assemblyscript",
    setup(build) {
      build.onResolve({ filter: /\/kernel\.js$/ }, ({ resolveDir }) => ({ path: join(resolveDir, "kernel.as") }));
      build.onLoad({ filter: /\.as$/ }, async ({ path }) => {
        const wasm = await compile(path);
        return { contents: `export const KERNEL = "${Buffer.from(wasm).toString("base64")}";`, loader: "js" };
      });
    },
  };
}

/** Compiles a file and those beside it that it imports. The compiler looks for `.ts`, which ours are not: they aren't TypeScript. */
async function compile(path: string): Promise<Uint8Array> {
  let wasm: Uint8Array | undefined;
  const memory = ["--importMemory", "--sharedMemory", "--maximumMemory", "65536"];
  const options = ["--runtime", "stub", "--noAssert", ...memory, "--enable", "simd,threads", "--use", "abort="];
  const { error, stderr } = await asc.main(
    [`${basename(path, ".as")}.ts`, "-O3", "--outFile", "kernel.wasm", ...options],
    {
      readFile: (name) => {
        const source = join(dirname(path), `${basename(name, ".ts")}.as`);
        return dirname(name) === "." && existsSync(source) ? readFileSync(source, "utf8") : null;
      },
      writeFile: (name, contents) => {
        if (name === "kernel.wasm" && typeof contents !== "string") wasm = contents;
      },
      listFiles: () => [],
    },
  );
  if (!wasm) throw new Error(`AssemblyScript refused the kernel: ${error?.message ?? ""}\n${stderr.toString()}`);
  return wasm;
}
