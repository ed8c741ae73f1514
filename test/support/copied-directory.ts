import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { ON_POSTGRES } from "./postgres-directories.js";
import { temporaryDirectory } from "./temporary-directory.js";

/** A directory of a test's own, and what filling it has given. */
export interface CopiedDirectory<Made> {
  readonly directory: string;
  readonly made: Made;
}

/**
 * Fills the directory of a knowledge base, which has to be closed then, at the first call of the function that is
 * returned; each call gives a copy. A knowledge base in a database is filled each time.
 */
export function copiesOf<Made>(fill: (directory: string) => Promise<Made>): () => Promise<CopiedDirectory<Made>> {
  let original: { readonly directory: string; readonly made: Promise<Made> } | null = null;
  afterAll(() => {
    if (original) rmSync(original.directory, { recursive: true, force: true });
  });
  return async () => {
    const directory = temporaryDirectory();
    if (ON_POSTGRES) return { directory, made: await fill(directory) };
    if (!original) {
      const filled = mkdtempSync(join(tmpdir(), "lorebase-test-"));
      original = { directory: filled, made: fill(filled) };
    }
    const made = await original.made;
    cpSync(original.directory, directory, { recursive: true });
    return { directory, made };
  };
}
