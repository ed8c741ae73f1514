import type { ChunkDraft, ChunkOptions } from "../interfaces/chunker.js";
import { assemble } from "./assemble.js";
import { type PackedChunk, pack } from "./pack.js";
import type { Part, Source } from "./source.js";

/** Texts handed to the tokenizer in one call, and about how many characters. */
const BATCH_TEXTS = 256;
const BATCH_CHARACTERS = 1_000_000;
const SAMPLES = 16;
const SAMPLE_CHARACTERS = 512;
/** Steps in which the size under a token limit goes, to a halving. */
const STEPS = 6;
/** Pieces of a chunk over the limit are a little larger than its even share, or cuts at sentences would make one more. */
const SLACK = 1.1;

/** Counts the tokens of chunks; one over the limit is packed again, into smaller chunks, until all are within it. */
export async function withTokens(
  source: Source,
  chunks: readonly PackedChunk[],
  options: ChunkOptions,
): Promise<ChunkDraft[]> {
  const all: Counted[] = [];
  for (const batch of batches(source, chunks)) {
    let counted = await count(source, batch, options);
    while (counted.some(({ smaller }) => smaller !== null)) {
      const pieces = counted.flatMap((item) => item.smaller?.map((chunk) => assembled(source, chunk)) ?? [item]);
      counted = await count(source, pieces, options);
    }
    for (const item of counted) all.push(item);
  }
  const settled = await count(source, withoutStaleOverlap(source, all), options);
  return settled.map(({ draft, tokens }) => ({ ...draft, tokens }));
}

/** Where the chunk before was made smaller, what it shares with the next may now be all of it: that is not repeated. */
function withoutStaleOverlap(source: Source, items: readonly Counted[]): (Assembled | Counted)[] {
  return items.map((item, i) => {
    const isStale = i > 0 && item.draft.start <= items[i - 1]!.draft.start;
    return isStale ? assembled(source, { ...item.chunk, parts: item.chunk.own }) : item;
  });
}

/** Counts what has no count yet and marks what must be made smaller. */
async function count(
  source: Source,
  items: readonly (Assembled | Counted)[],
  options: ChunkOptions,
): Promise<Counted[]> {
  const { signal, maxTokens } = options;
  signal?.throwIfAborted();
  const uncounted = items.filter((item) => !("tokens" in item));
  const counts = uncounted.length === 0 ? [] : await options.countTokens(uncounted.map(({ draft }) => draft.indexText));
  let next = 0;
  return items.map((item) => {
    if ("tokens" in item) return item;
    const tokens = counts[next++]!;
    const isOver = maxTokens !== null && tokens > maxTokens;
    return { ...item, tokens, smaller: isOver ? repack(source, item.chunk, item.draft, tokens / maxTokens) : null };
  });
}

/**
 * The characters that a chunk of this document may have to stay within `maxTokens`, judged by samples of its text; the
 * size that was asked for where there is no need to be smaller. It goes in steps, so that a document of which little has
 * changed is cut in the same places.
 */
export async function targetForTokens(source: Source, parts: readonly Part[], options: ChunkOptions): Promise<number> {
  const { chunkSize, maxTokens } = options;
  if (maxTokens === null || parts.length === 0) return chunkSize;
  const samples = samplesOf(source, parts);
  const characters = samples.reduce((sum, text) => sum + text.length, 0);
  const counts = await options.countTokens(samples);
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  if (tokens === 0) return chunkSize;
  // A model counts its own marks with every text; they make short samples look dense, which errs on the safe side.
  const fitting = (characters / tokens) * maxTokens * 0.95;
  if (fitting >= chunkSize) return chunkSize;
  return Math.max(32, Math.floor(chunkSize * 2 ** (Math.floor(STEPS * Math.log2(fitting / chunkSize)) / STEPS)));
}

/** Those parts whose beginnings have the least hashes: chosen by chance, and all but one the same after one has changed. */
function samplesOf(source: Source, parts: readonly Part[]): string[] {
  const texts = parts.map(({ block, from, to }) =>
    source.blocks[block]!.text.slice(from, Math.min(to, from + SAMPLE_CHARACTERS)),
  );
  if (texts.length <= SAMPLES) return texts;
  const hashes = texts.map(hashOf);
  const least = [...hashes.keys()].sort((a, b) => hashes[a]! - hashes[b]! || a - b);
  return least.slice(0, SAMPLES).map((index) => texts[index]!);
}

/** FNV-1a over the first characters, its bits mixed once more. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = Math.min(text.length, 64) - 1; at >= 0; at--) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

/** A chunk's own parts in smaller chunks; null when it cannot be made smaller. */
function repack(
  source: Source,
  chunk: PackedChunk,
  draft: Omit<ChunkDraft, "tokens">,
  excess: number,
): PackedChunk[] | null {
  const length = draft.indexText.length;
  const even = Math.ceil((length / Math.ceil(excess)) * SLACK);
  const target = Math.max(1, Math.min(even, Math.floor(length * 0.6)));
  const smaller = pack(source, chunk.own, {
    target,
    max: target,
    overlap: Math.min(chunk.limits.overlap, target >> 2),
  });
  const [only] = smaller;
  const isStuck = smaller.length === 1 && only !== undefined && assemble(source, only).indexText.length >= length;
  return isStuck ? null : smaller;
}

interface Assembled {
  readonly chunk: PackedChunk;
  readonly draft: Omit<ChunkDraft, "tokens">;
}

interface Counted extends Assembled {
  readonly tokens: number;
  /** What takes its place when it is over the limit. */
  readonly smaller: readonly PackedChunk[] | null;
}

function assembled(source: Source, chunk: PackedChunk): Assembled {
  return { chunk, draft: assemble(source, chunk) };
}

function* batches(source: Source, chunks: readonly PackedChunk[]): Generator<Assembled[]> {
  let batch: Assembled[] = [];
  let characters = 0;
  for (const chunk of chunks) {
    const item = assembled(source, chunk);
    batch.push(item);
    characters += item.draft.indexText.length;
    if (batch.length < BATCH_TEXTS && characters < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
