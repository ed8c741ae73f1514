/** A query and a passage as one input of a model: the same number of entries under each key (ids, mask, types). */
export type EncodedPair = Readonly<Record<string, readonly number[]>>;

type TokenIds = readonly number[];

/** The numbers of special tokens that a tokenizer puts around the two texts of a pair. */
export interface SpecialTokenCounts {
  readonly before: number;
  readonly between: number;
  readonly after: number;
}

/**
 * Counts the special tokens of a pair from an example with single-token texts: the ids of the pair, and the ids of each
 * text without special tokens.
 */
export function countSpecialTokens(pair: TokenIds, query: TokenIds, passage: TokenIds): SpecialTokenCounts {
  const before = pair.indexOf(query[0]!);
  const passageStart = pair.lastIndexOf(passage[0]!);
  const between = passageStart - before - query.length;
  return { before, between, after: pair.length - passageStart - passage.length };
}

/**
 * Truncates a pair to `maxTokens`: the passage first, but a query longer than half of the available tokens is truncated
 * to that half, or to what a short passage leaves. Keeps all special tokens, including the last one, which the
 * library's truncation removes.
 */
export function fitPair(
  pair: EncodedPair,
  queryTokenCount: number,
  specialTokens: SpecialTokenCounts,
  maxTokens: number,
): EncodedPair {
  const { before, between, after } = specialTokens;
  const total = pair.input_ids!.length;
  if (total <= maxTokens) return pair;
  const available = maxTokens - before - between - after;
  const passageTokenCount = total - before - between - after - queryTokenCount;
  const keptOfQuery = Math.min(queryTokenCount, Math.max(available - passageTokenCount, Math.floor(available / 2)));
  const passageStart = before + queryTokenCount + between;
  const truncate = (entries: readonly number[]) => [
    ...entries.slice(0, before + keptOfQuery),
    ...entries.slice(before + queryTokenCount, passageStart + available - keptOfQuery),
    ...entries.slice(total - after),
  ];
  return Object.fromEntries(Object.entries(pair).map(([key, entries]) => [key, truncate(entries)]));
}
