import { createHash } from "node:crypto";
import type { Engine } from "../engine.js";

/** Grows with every change of parsing or chunking that documents should be made anew for, though their sources are what they were. */
const PREPARATION = 1;

/**
 * A digest of what a document's chunks depend on besides its source: its config, and whatever parses and chunks. A parser or chunker of
 * the caller's is known by its name alone.
 *
 * @param config As JSON.
 */
export function madeWith({ options }: Pick<Engine, "options">, config: string): string {
  const { parsers, chunker } = options;
  const names = [parsers.map(({ name }) => name), chunker?.name ?? null];
  return createHash("sha256")
    .update(JSON.stringify([PREPARATION, config, names]))
    .digest("hex");
}
