import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { availableCandidates } from "./search/candidates.js";
import { chart } from "./search/chart.js";
import { benchDuringIngest } from "./search/during-ingest.js";
import { readSearchFlags, type SearchFlags, type SearchPlan } from "./search/flags.js";
import { benchKeywords } from "./search/keywords.js";
import { checkTargets, type SearchFigures } from "./search/targets.js";
import { benchVectors } from "./search/vectors.js";

interface Measured extends SearchFigures {
  /** Processor, cores and version of Node. */
  readonly machine: string;
}

/**
 * Compares search in Lorebase and its peers in one run: vectors, keywords, and Lorebase during an ingest. Each system
 * has its own process, and they search in turns. Lorebase is filled by ingest jobs and called by `search`, with an
 * embedder that returns prepared vectors. Its vector store alone is measured too, since some peers are no more than
 * that.
 */
export async function benchSearch(flags: SearchFlags, log: (line: string) => void) {
  const plan = readSearchFlags(flags);
  const measured = plan.from.length > 0 ? readEarlier(plan.from) : await measureAll(plan, flags.work ?? tmpdir(), log);
  const targets = checkTargets(measured);
  for (const { target, measured, required, isMet } of targets) {
    log(`${isMet ? "met   " : "MISSED"}  ${target}: ${Number(measured.toPrecision(3))}, ${required}`);
  }
  if (flags.chart !== undefined) writeFileSync(flags.chart, chart(measured, measured.machine));
  return { ...measured, targets };
}

async function measureAll(plan: SearchPlan, work: string, log: (line: string) => void): Promise<Measured> {
  const { rows, dimensions, keywordRows, only } = plan;
  const candidates = availableCandidates(plan, log);
  const directory = mkdtempSync(join(resolve(work), "lorebase-search-"));
  const round = (name: string) => ({ candidates, directory: join(directory, name), log });
  const includes = (section: (typeof only)[number]) => only.length === 0 || only.includes(section);
  try {
    const vectors = [];
    if (includes("vectors")) {
      for (const size of sizesOf(rows, dimensions)) vectors.push(await benchVectors(size, round("vectors")));
    }
    const keywords = includes("keywords") ? await benchKeywords(keywordRows, round("keywords")) : null;
    const beside = includes("beside") ? await benchDuringIngest(keywordRows, round("beside")) : null;
    const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version.slice(1)}.`;
    return { machine, vectors, keywords, beside };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The first number of dimensions with every number of rows, others only with the first of these. */
function sizesOf(rows: readonly number[], dimensions: readonly number[]) {
  return dimensions.flatMap((size, index) => {
    return (index === 0 ? rows : rows.slice(0, 1)).map((count) => ({ rows: count, dimensions: size }));
  });
}

/** All vector rounds of earlier runs, and the last round of each other section. */
function readEarlier(paths: readonly string[]): Measured {
  const runs = paths.map((path) => JSON.parse(readFileSync(path, "utf8")) as Measured);
  return {
    machine: runs[0]!.machine,
    vectors: runs.flatMap(({ vectors }) => vectors),
    keywords: runs.findLast(({ keywords }) => keywords !== null)?.keywords ?? null,
    beside: runs.findLast(({ beside }) => beside !== null)?.beside ?? null,
  };
}
