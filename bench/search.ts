import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { benchBeside } from "./search/beside.js";
import { chart } from "./search/chart.js";
import { claimsOf, type SearchFigures } from "./search/claims.js";
import { contestantsHere } from "./search/contestants.js";
import { readSearchFlags, type SearchFlags, type SearchPlan } from "./search/flags.js";
import { benchKeywords } from "./search/keywords.js";
import { benchVectors } from "./search/vectors.js";

interface Measured extends SearchFigures {
  /** Processor, cores and Node. */
  readonly machine: string;
}

/**
 * Search in Lorebase and in its peers, side by side in one run: vectors, keywords, and Lorebase while it ingests. Each system is in a
 * process of its own, and all are asked in turns. Lorebase is filled by ingest jobs and asked by `search`, as its callers do, with an embedder
 * that has its vectors already; its store alone is also asked, under its own name, since some of the peers are no more than that.
 */
export async function benchSearch(flags: SearchFlags, log: (line: string) => void) {
  const plan = readSearchFlags(flags);
  const measured = plan.from.length > 0 ? readEarlier(plan.from) : await measureAll(plan, flags.work ?? tmpdir(), log);
  const claims = claimsOf(measured);
  for (const { claim, measured, needed, holds } of claims) {
    log(`${holds ? "holds " : "BROKEN"}  ${claim}: ${Number(measured.toPrecision(3))}, ${needed}`);
  }
  if (flags.chart !== undefined) writeFileSync(flags.chart, chart(measured, measured.machine));
  return { ...measured, claims };
}

async function measureAll(plan: SearchPlan, work: string, log: (line: string) => void): Promise<Measured> {
  const { rows, dimensions, keywordRows, only } = plan;
  const contestants = contestantsHere(plan, log);
  const directory = mkdtempSync(join(resolve(work), "lorebase-search-"));
  const round = (name: string) => ({ contestants, directory: join(directory, name), log });
  const wants = (section: (typeof only)[number]) => only.length === 0 || only.includes(section);
  try {
    const vectors = [];
    if (wants("vectors")) {
      for (const size of sizesOf(rows, dimensions)) vectors.push(await benchVectors(size, round("vectors")));
    }
    const keywords = wants("keywords") ? await benchKeywords(keywordRows, round("keywords")) : null;
    const beside = wants("beside") ? await benchBeside(keywordRows, round("beside")) : null;
    const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version.slice(1)}.`;
    return { machine, vectors, keywords, beside };
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

/** The rounds of all of them; of what can be there once only, the last. */
function readEarlier(paths: readonly string[]): Measured {
  const runs = paths.map((path) => JSON.parse(readFileSync(path, "utf8")) as Measured);
  return {
    machine: runs[0]!.machine,
    vectors: runs.flatMap(({ vectors }) => vectors),
    keywords: runs.findLast(({ keywords }) => keywords !== null)?.keywords ?? null,
    beside: runs.findLast(({ beside }) => beside !== null)?.beside ?? null,
  };
}
