import type { Analyzer } from "../../../text-analysis/analyzer.js";
import type { PostingsBlock, TermEntry } from "./postings-block.js";

/** Returns the UTF-8 of a phrase's tokens. */
export function toTokens(analyzer: Analyzer, phrase: string): readonly Uint8Array[] {
  return analyzer.terms([phrase])[0]!.map((token) => Buffer.from(token));
}

/** Returns whether a block has every token of a phrase. */
export function hasTokens(block: PostingsBlock, tokens: readonly Uint8Array[], prefix: boolean): boolean {
  return tokens.every((_, index) => !entriesOf(block, tokens, index, prefix).next().done);
}

/** Returns the chunks in which tokens are adjacent. With `prefix`, the last token is a prefix. */
export function findPhrase(
  { block, positions }: { readonly block: PostingsBlock; readonly positions: Uint8Array | null },
  tokens: readonly Uint8Array[],
  prefix: boolean,
): Iterable<number> {
  if (tokens.length === 0) return [];
  if (tokens.length === 1) {
    const chunks = new Set<number>();
    for (const entry of entriesOf(block, tokens, 0, prefix)) block.read(entry, (chunk) => chunks.add(chunk));
    return chunks;
  }
  if (!hasTokens(block, tokens, prefix)) return [];
  let ends = new Map<number, ReadonlySet<number>>();
  for (const index of tokens.keys()) {
    const next = new Map<number, Set<number>>();
    for (const entry of entriesOf(block, tokens, index, prefix)) {
      block.readPositions(positions!, entry, (chunk, places) => {
        const before = ends.get(chunk);
        if (index > 0 && !before) return;
        const matching = index === 0 ? places : places.filter((place) => before!.has(place - 1));
        if (matching.length === 0) return;
        const found = next.get(chunk) ?? new Set<number>();
        for (const place of matching) found.add(place);
        next.set(chunk, found);
      });
    }
    ends = next;
  }
  return ends.keys();
}

function* entriesOf(
  block: PostingsBlock,
  tokens: readonly Uint8Array[],
  index: number,
  prefix: boolean,
): Generator<TermEntry> {
  if (prefix && index === tokens.length - 1) yield* block.startingWith(tokens[index]!);
  else {
    const entry = block.find(tokens[index]!);
    if (entry) yield entry;
  }
}
