import { existsSync } from "node:fs";
import { KnowledgeBaseError } from "../errors.js";

/**
 * Fails if a bundler has moved this module away from the files of the package's threads.
 * @throws KnowledgeBaseError `unsupported`, with the setting that the bundler needs
 */
export function assertUnbundled(): void {
  if (hasThreadFile()) return;
  const message =
    "The files that Lorebase's threads run are not beside its code, as where it was bundled. Leave the package lorebase out of the bundle: " +
    'esbuild --external:lorebase; Vite ssr: { external: ["lorebase"] }; Next.js serverExternalPackages: ["lorebase"]; ' +
    "webpack and Rollup: an external.";
  throw new KnowledgeBaseError("unsupported", message);
}

function hasThreadFile(): boolean {
  try {
    return existsSync(new URL("./sqlite/thread.js", import.meta.url));
  } catch {
    // Modules in a CommonJS bundle have no URL.
    return false;
  }
}
