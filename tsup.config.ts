import { readFile } from "node:fs/promises";
import asc from "assemblyscript/asc";
import { defineConfig, type Options } from "tsup";

// One output file per source file: worker threads are found beside the module that starts them,
// and what a reader finds in node_modules has the shape of the repository.
export default defineConfig({
  entry: ["src/**/*.ts", "!src/**/*.d.ts", "src/scan/kernel.as"],
  bundle: false,
  format: "esm",
  target: "node20",
  platform: "node",
  dts: false,
  sourcemap: true,
  clean: true,
  esbuildPlugins: [assemblyScript()],
});

/** AssemblyScript becomes a module that exports the WebAssembly as base64: nothing is read from a file when it runs. */
function assemblyScript(): NonNullable<Options["esbuildPlugins"]>[number] {
  return {
    name: "assemblyscript",
    setup(build) {
      build.onLoad({ filter: /\.as$/ }, async ({ path }) => {
        const wasm = await compile(await readFile(path, "utf8"));
        return { contents: `export const KERNEL = "${Buffer.from(wasm).toString("base64")}";`, loader: "js" };
      });
    },
  };
}

async function compile(source: string): Promise<Uint8Array> {
  let wasm: Uint8Array | undefined;
  const options = ["--runtime", "stub", "--noAssert", "--importMemory", "--enable", "simd", "--use", "abort="];
  const { error, stderr } = await asc.main(["kernel.ts", "-O3", "--outFile", "kernel.wasm", ...options], {
    readFile: (name) => (name === "kernel.ts" ? source : null),
    writeFile: (name, contents) => {
      if (name === "kernel.wasm" && typeof contents !== "string") wasm = contents;
    },
    listFiles: () => [],
  });
  if (!wasm) throw new Error(`AssemblyScript refused the kernel: ${error?.message ?? ""}\n${stderr.toString()}`);
  return wasm;
}
