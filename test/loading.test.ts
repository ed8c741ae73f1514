import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";

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
