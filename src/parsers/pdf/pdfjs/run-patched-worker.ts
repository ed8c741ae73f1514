import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { compileFunction, constants } from "node:vm";
import { applyPatches, type Patch } from "./worker-patches.js";

/**
 * Runs pdfjs' worker with patches, in this thread. Returns what the patched source returns, or `null` if the patches
 * don't apply to the installed version of pdfjs.
 *
 * @param variables The variables that the patches use, by name.
 */
export async function runPatchedWorker(
  patches: readonly Patch[],
  variables: Readonly<Record<string, unknown>>,
): Promise<{ readonly returned: unknown } | null> {
  const file = createRequire(import.meta.url).resolve("pdfjs-dist/legacy/build/pdf.worker.mjs");
  const source = applyPatches(await readFile(file, "utf8"), patches);
  if (source === null) return null;
  const code = source.replaceAll("import.meta.url", "workerUrl");
  const worker = compileFunction(code, ["workerUrl", ...Object.keys(variables)], {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return { returned: worker(pathToFileURL(file).href, ...Object.values(variables)) };
}
