import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Rolldown } from "vite";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/**
 * Builds the scripts and the style sheet of the hosted page, and writes a module that contains them as strings: bundlers
 * keep modules, but lose files that are only read.
 *
 * @param source The folder of the page's sources.
 * @param target The path of the module.
 */
export async function buildPage(source: string, target: string): Promise<void> {
  const { output } = (await build({
    root: source,
    configFile: false,
    base: "./",
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: {
        input: join(source, "main.tsx"),
        output: {
          entryFileNames: "page-[hash].js",
          chunkFileNames: "page-[name]-[hash].js",
          assetFileNames: "page-[hash].[ext]",
        },
      },
    },
  })) as Rolldown.RolldownOutput;
  const files = Object.fromEntries(
    output.map((file) => [file.fileName, { type: typeOf(file.fileName), body: bodyOf(file) }]),
  );
  const entry = output.find((file): file is Rolldown.OutputChunk => file.type === "chunk" && file.isEntry);
  const style = Object.keys(files).find((name) => name.endsWith(".css"));
  const values = { script: entry?.fileName, preloads: entry?.imports, style, files };
  const module = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`);
  await writeFile(target, module.join(""));
}

function typeOf(name: string): string {
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
  if (!type) throw new Error(`The page's build has the file ${name}, which is neither a script nor a style sheet.`);
  return type;
}

function bodyOf(file: Rolldown.OutputChunk | Rolldown.OutputAsset): string {
  return file.type === "chunk" ? file.code : String(file.source);
}
