import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Candidate } from "./candidates.js";
import { compare, type Figures, type QuerySet, type Round } from "./compare.js";
import { ExactAnswers } from "./data/exact.js";
import { Mixture } from "./data/mixture.js";
import { BUCKETS, type Query, type Workload } from "./workload.js";

const ROWS_SEED = 1;
const QUERIES_SEED = 2;
/** With a million vectors, a search takes some systems a third of a second and more, so it runs fewer queries. */
const MANY_ROWS = 300_000;

export interface VectorsRound {
  readonly rows: number;
  readonly dimensions: number;
  readonly queries: number;
  readonly figures: readonly Figures[];
}

/** Top-10 searches of all vectors, and of the 1 % that a filter leaves. */
export async function benchVectors(
  { rows, dimensions }: { readonly rows: number; readonly dimensions: number },
  { candidates, directory, log }: Pick<Round, "candidates" | "directory" | "log">,
): Promise<VectorsRound> {
  mkdirSync(directory, { recursive: true });
  const mixture = new Mixture(dimensions);
  const workload: Workload = { kind: "vectors", rows, dimensions, file: join(directory, "vectors.f32") };
  mixture.write(workload.file, rows, ROWS_SEED);
  const vectors = mixture.draw(rows > MANY_ROWS ? 50 : 200, QUERIES_SEED);
  const sets = [
    querySet("all", workload, candidates, vectors, () => null),
    querySet("filtered", workload, candidates, vectors, (index) => index % BUCKETS),
  ];
  log(`${rows} vectors of ${dimensions} dimensions, ${vectors.length} queries`);
  try {
    const figures = await compare({ workload, sets, candidates, directory, log });
    return { rows, dimensions, queries: vectors.length, figures };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function querySet(
  name: string,
  workload: Workload,
  candidates: readonly Candidate[],
  vectors: readonly Float32Array[],
  bucketOfQuery: (index: number) => number | null,
): QuerySet {
  const queries = vectors.map((vector, index) => ({ kind: "vector" as const, vector, bucket: bucketOfQuery(index) }));
  const sizes = new Set(candidates.map(({ maxRows }) => Math.min(workload.rows, maxRows.vectors)));
  sizes.delete(0);
  const exact = new Map([...sizes].map((rows) => [rows, new ExactAnswers({ ...workload, rows }, queries)]));
  const all: readonly Query[] = queries;
  return { name, queries: all, recall: (found, rows) => exact.get(rows)!.recall(found) };
}
