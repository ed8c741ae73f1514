import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compare, type Figures, type QuerySet, type Round } from "./compare.js";
import type { Contestant } from "./contestants.js";
import { ExactAnswers } from "./data/exact.js";
import { Mixture } from "./data/mixture.js";
import { BUCKETS, type Query, type Workload } from "./workload.js";

const ROWS_SEED = 1;
const QUERIES_SEED = 2;
/** A search of a million vectors takes some systems a third of a second and more. */
const MANY_ROWS = 300_000;

export interface VectorsRound {
  readonly rows: number;
  readonly dimensions: number;
  readonly queries: number;
  readonly figures: readonly Figures[];
}

/** Top-10 searches of vectors, of all of them and of the hundredth part that a filter leaves. */
export async function benchVectors(
  { rows, dimensions }: { readonly rows: number; readonly dimensions: number },
  { contestants, directory, log }: Pick<Round, "contestants" | "directory" | "log">,
): Promise<VectorsRound> {
  mkdirSync(directory, { recursive: true });
  const mixture = new Mixture(dimensions);
  const workload: Workload = { kind: "vectors", rows, dimensions, file: join(directory, "vectors.f32") };
  mixture.write(workload.file, rows, ROWS_SEED);
  const vectors = mixture.draw(rows > MANY_ROWS ? 50 : 200, QUERIES_SEED);
  const sets = [
    querySet("all", workload, contestants, vectors, () => null),
    querySet("filtered", workload, contestants, vectors, (index) => index % BUCKETS),
  ];
  log(`${rows} vectors of ${dimensions} dimensions, and the exact answers to ${vectors.length} queries`);
  try {
    const figures = await compare({ workload, sets, contestants, directory, log });
    return { rows, dimensions, queries: vectors.length, figures };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function querySet(
  name: string,
  workload: Workload,
  contestants: readonly Contestant[],
  vectors: readonly Float32Array[],
  bucketOfQuery: (index: number) => number | null,
): QuerySet {
  const queries = vectors.map((vector, index) => ({ kind: "vector" as const, vector, bucket: bucketOfQuery(index) }));
  const sizes = new Set(contestants.map(({ mostRows }) => Math.min(workload.rows, mostRows.vectors)));
  sizes.delete(0);
  const exact = new Map([...sizes].map((rows) => [rows, new ExactAnswers({ ...workload, rows }, queries)]));
  const all: readonly Query[] = queries;
  return { name, queries: all, recall: (found, rows) => exact.get(rows)!.recall(found) };
}
