import type { IndexedRows } from "./indexed-rows.js";
import type { Postings } from "./postings.js";
import type { Ranking } from "./ranking.js";

/** Returns the live chunks that all of the postings have, ascending. There must be at least one. */
export function chunksWithAll(rows: IndexedRows, postings: readonly Postings[]): Float64Array {
  const [rarest, ...others] = postings.toSorted((a, b) => a.size - b.size);
  const containing = rarest!.numbers
    .subarray(0, rarest!.size)
    .filter((number) => rows.alive[number] && hasAll(others, number));
  return Float64Array.from(containing, (number) => rows.chunkSeqs[number]!).sort();
}

/** Returns which of the given chunks are live and in all of the postings. */
export function filterByPostings(
  rows: IndexedRows,
  postings: readonly Postings[],
  chunkSeqs: readonly number[],
): ReadonlySet<number> {
  const found = new Set<number>();
  const ascending = chunkSeqs.toSorted((a, b) => a - b);
  rows.match(ascending, (position, number) => {
    if (rows.alive[number] && hasAll(postings, number)) found.add(ascending[position]!);
  });
  return found;
}

/** Removes rows that one of the postings lacks, or that a list of chunks lacks, from a ranking. */
export function restrictRanking(
  ranking: Ranking,
  rows: IndexedRows,
  { postings, listed }: { readonly postings: readonly Postings[]; readonly listed: ArrayLike<number> | null },
): void {
  const marks = new Uint16Array(rows.size);
  const mark = (number: number) => {
    marks[number] = marks[number]! + 1;
  };
  for (const { numbers, size } of postings) for (let i = 0; i < size; i++) mark(numbers[i]!);
  if (listed) rows.match(listed, (_, number) => mark(number));
  ranking.keep(marks, postings.length + (listed ? 1 : 0));
}

function hasAll(postings: readonly Postings[], number: number): boolean {
  return postings.every((term) => term.countOf(number) > 0);
}
