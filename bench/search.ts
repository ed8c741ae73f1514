import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { benchBeside } from "./search/beside.js";
import { contestantsHere } from "./search/contestants.js";
import { readSearchFlags, type SearchFlags } from "./search/flags.js";
import { benchKeywords } from "./search/keywords.js";
import { benchVectors } from "./search/vectors.js";

/**
 * Search in Lorebase and in its peers, side by side in one run: vectors, keywords, and Lorebase while it ingests. Each system is in a
 * process of its own, and all are asked in turns. Lorebase is filled by ingest jobs and asked by `search`, as its callers do, with an embedder
 * that has its vectors already; its store alone is also asked, under its own name, since some of the peers are no more than that.
 */
export async function benchSearch(flags: SearchFlags, log: (line: string) => void) {
  const { rows, dimensions, keywordRows, only, variants, peers } = readSearchFlags(flags);
  const contestants = contestantsHere(variants, log).filter(({ name }) => peers === null || peers.includes(name));
  const directory = mkdtempSync(join(resolve(flags.work ?? tmpdir()), "lorebase-search-"));
  const round = (name: string) => ({ contestants, directory: join(directory, name), log });
  const wants = (section: (typeof only)[number]) => only.length === 0 || only.includes(section);
  try {
    const vectors = [];
    if (wants("vectors")) {
      for (const size of sizesOf(rows, dimensions)) vectors.push(await benchVectors(size, round("vectors")));
    }
    const keywords = wants("keywords") ? await benchKeywords(keywordRows, round("keywords")) : null;
    const beside = wants("beside") ? await benchBeside(keywordRows, { ...round("beside"), settings: {} }) : null;
    return { node: process.version, cores: availableParallelism(), topK: 10, vectors, keywords, beside };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The first number of dimensions at every number of rows, others at the first of these alone. */
function sizesOf(rows: readonly number[], dimensions: readonly number[]) {
  return dimensions.flatMap((size, index) => {
    return (index === 0 ? rows : rows.slice(0, 1)).map((count) => ({ rows: count, dimensions: size }));
  });
}
