/** A query and a passage as one input of a model: the same number of entries under each key (ids, mask, types). */
export type EncodedPair = Readonly<Record<string, readonly number[]>>;

/** How many tokens of its own a tokenizer puts around the two texts of a pair. */
export interface PairFrame {
  readonly before: number;
  readonly between: number;
  readonly after: number;
}

/**
 * Derives the tokens around the texts of a pair from a pair of single-token texts: the ids of the pair, and of each
 * text without special tokens.
 */
export function frameOf(pair: readonly number[], query: readonly number[], passage: readonly number[]): PairFrame {
  const before = pair.indexOf(query[0]!);
  const passageStart = pair.lastIndexOf(passage[0]!);
  const between = passageStart - before - query.length;
  return { before, between, after: pair.length - passageStart - passage.length };
}

/**
 * Cuts a pair to `limit` tokens: the passage loses its end, and a query longer than half of the available tokens loses
 * what the passage needs of its own half. All special tokens stay, including the last one, which the library's
 * truncation cuts off.
 */
export function fitPair(pair: EncodedPair, queryTokens: number, frame: PairFrame, limit: number): EncodedPair {
  const { before, between, after } = frame;
  const total = pair.input_ids!.length;
  if (total <= limit) return pair;
  const available = limit - before - between - after;
  const passageTokens = total - before - between - after - queryTokens;
  const query = Math.min(queryTokens, Math.max(available - passageTokens, Math.floor(available / 2)));
  const passageStart = before + queryTokens + between;
  const kept = (entries: readonly number[]) => [
    ...entries.slice(0, before + query),
    ...entries.slice(before + queryTokens, passageStart + available - query),
    ...entries.slice(total - after),
  ];
  return Object.fromEntries(Object.entries(pair).map(([key, entries]) => [key, kept(entries)]));
}
