import { bucketOf, type Query, TOP_K, type Workload } from "../workload.js";
import { VectorFile } from "./vector-file.js";

const BLOCK = 256;
/** Sums of the same products in another order differ by less. */
const ROUNDING = 1e-6;

type VectorQuery = Extract<Query, { kind: "vector" }>;

/** Exact results for recall: compares every query with every row, in 32-bit floats with 64-bit sums. */
export class ExactAnswers {
  readonly #workload: Workload;
  readonly #queries: readonly VectorQuery[];
  /** The tenth-best cosine of each query. */
  readonly #tenth: readonly number[];

  constructor(workload: Workload, queries: readonly VectorQuery[]) {
    this.#workload = workload;
    this.#queries = queries;
    const best = queries.map(() => new Float64Array(TOP_K).fill(-2));
    const { rows, dimensions } = workload;
    const file = new VectorFile(workload.file, dimensions);
    for (const { first, count, vectors } of file.blocks(rows, BLOCK)) {
      for (const [index, query] of queries.entries()) {
        for (let row = 0; row < count; row++) {
          if (query.bucket !== null && bucketOf(first + row) !== query.bucket) continue;
          insert(best[index]!, dot(query.vector, vectors, row * dimensions));
        }
      }
    }
    file.close();
    this.#tenth = best.map((scores) => scores[TOP_K - 1]!);
  }

  /** The fraction of the best ten that were found, over all queries. Any of several equal rows counts. */
  recall(found: readonly (readonly number[])[]): number {
    const file = new VectorFile(this.#workload.file, this.#workload.dimensions);
    let good = 0;
    for (const [index, rows] of found.entries()) {
      const { vector, bucket } = this.#queries[index]!;
      for (const row of new Set(rows.slice(0, TOP_K))) {
        const within = bucket === null || bucketOf(row) === bucket;
        if (within && dot(vector, file.read(row, 1), 0) >= this.#tenth[index]! - ROUNDING) good++;
      }
    }
    file.close();
    return good / (found.length * TOP_K);
  }
}

function dot(a: Float32Array, b: Float32Array, offset: number): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let at = 0; at < a.length; at += 4) {
    s0 += a[at]! * b[offset + at]!;
    s1 += a[at + 1]! * b[offset + at + 1]!;
    s2 += a[at + 2]! * b[offset + at + 2]!;
    s3 += a[at + 3]! * b[offset + at + 3]!;
  }
  return s0 + s1 + s2 + s3;
}

/** Keeps the best scores in descending order. */
function insert(best: Float64Array, score: number): void {
  let at = best.length - 1;
  if (score <= best[at]!) return;
  for (; at > 0 && best[at - 1]! < score; at--) best[at] = best[at - 1]!;
  best[at] = score;
}
