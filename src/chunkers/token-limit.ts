import type { ChunkDraft, ChunkOptions } from "../interfaces/chunker.js";
import { assemble } from "./assemble.js";
import type { BlockIndex, Part } from "./block-index.js";
import { type PackedChunk, pack } from "./pack.js";

/** Maximum number of texts per call to the tokenizer. */
const MAX_BATCH_TEXTS = 256;
/** Number of characters at which a batch is full. */
const FULL_BATCH_CHARACTERS = 1_000_000;
const SAMPLE_COUNT = 16;
const MAX_SAMPLE_CHARACTERS = 512;
/** The number of chunk sizes per factor of two to which a size under a token limit is rounded down. */
const STEPS_PER_DOUBLING = 6;
/** Factor by which a piece may exceed its even share of a chunk: splits at sentences would otherwise add a piece. */
const SLACK = 1.1;

/** Counts the tokens of chunks and repacks chunks over the token limit into smaller ones until all fit. */
export async function fitToTokenLimit(
  index: BlockIndex,
  chunks: readonly PackedChunk[],
  options: ChunkOptions,
): Promise<ChunkDraft[]> {
  const all: CountedChunk[] = [];
  for (const batch of makeBatches(index, chunks)) {
    let counted = await countAndRepack(index, batch, options);
    while (counted.some(({ smaller }) => smaller !== null)) {
      const pieces = counted.flatMap((item) => item.smaller?.map((chunk) => toAssembledChunk(index, chunk)) ?? [item]);
      counted = await countAndRepack(index, pieces, options);
    }
    for (const item of counted) all.push(item);
  }
  const result = await countAndRepack(index, withoutStaleOverlap(index, all), options);
  return result.map(({ draft, tokens }) => ({ ...draft, tokens }));
}

/** Drops each overlap that now contains the whole previous chunk, because that chunk was repacked. */
function withoutStaleOverlap(index: BlockIndex, items: readonly CountedChunk[]): (AssembledChunk | CountedChunk)[] {
  return items.map((item, i) => {
    const isStale = i > 0 && item.draft.start <= items[i - 1]!.draft.start;
    return isStale ? toAssembledChunk(index, { ...item.chunk, parts: item.chunk.newParts }) : item;
  });
}

/** Counts the tokens of uncounted chunks and repacks chunks over the limit. */
async function countAndRepack(
  index: BlockIndex,
  items: readonly (AssembledChunk | CountedChunk)[],
  options: ChunkOptions,
): Promise<CountedChunk[]> {
  const { signal, maxTokens } = options;
  signal?.throwIfAborted();
  const uncounted = items.filter((item) => !("tokens" in item));
  const counts = uncounted.length === 0 ? [] : await options.countTokens(uncounted.map(({ draft }) => draft.indexText));
  let nextIndex = 0;
  return items.map((item) => {
    if ("tokens" in item) return item;
    const tokens = counts[nextIndex++]!;
    const isOver = maxTokens !== null && tokens > maxTokens;
    return { ...item, tokens, smaller: isOver ? repack(index, item.chunk, item.draft, tokens / maxTokens) : null };
  });
}

/**
 * Returns the chunk size in characters that keeps a document's chunks within `maxTokens`, estimated from samples of its
 * text; at most `chunkSize`. The size is rounded to steps, so that a small edit leaves the other chunks unchanged.
 */
export async function targetForTokens(
  index: BlockIndex,
  parts: readonly Part[],
  options: ChunkOptions,
): Promise<number> {
  const { chunkSize, maxTokens } = options;
  if (maxTokens === null || parts.length === 0) return chunkSize;
  const samples = takeSamples(index, parts);
  const characters = samples.reduce((sum, text) => sum + text.length, 0);
  const counts = await options.countTokens(samples);
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  if (tokens === 0) return chunkSize;
  // A tokenizer adds special tokens to every text, so the density is overestimated, which is on the safe side.
  const fittingSize = (characters / tokens) * maxTokens * 0.95;
  if (fittingSize >= chunkSize) return chunkSize;
  return Math.max(
    32,
    Math.floor(
      chunkSize * 2 ** (Math.floor(STEPS_PER_DOUBLING * Math.log2(fittingSize / chunkSize)) / STEPS_PER_DOUBLING),
    ),
  );
}

/** Returns the starts of the parts with the smallest hashes (min-wise sampling): an edit hardly changes the sample. */
function takeSamples(index: BlockIndex, parts: readonly Part[]): string[] {
  const texts = parts.map(({ block, from, to }) =>
    index.blocks[block]!.text.slice(from, Math.min(to, from + MAX_SAMPLE_CHARACTERS)),
  );
  if (texts.length <= SAMPLE_COUNT) return texts;
  const hashes = texts.map(hashText);
  const smallest = [...hashes.keys()].sort((a, b) => hashes[a]! - hashes[b]! || a - b);
  return smallest.slice(0, SAMPLE_COUNT).map((index) => texts[index]!);
}

/** Returns the FNV-1a hash of the first 64 UTF-16 units with a final mix. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = Math.min(text.length, 64) - 1; at >= 0; at--) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

/**
 * Packs a chunk without its overlap into smaller chunks; returns `null` if it can't be made smaller.
 * @param excess The chunk's tokens divided by the token limit.
 */
function repack(
  index: BlockIndex,
  chunk: PackedChunk,
  draft: Omit<ChunkDraft, "tokens">,
  excess: number,
): PackedChunk[] | null {
  const length = draft.indexText.length;
  const evenShare = Math.ceil((length / Math.ceil(excess)) * SLACK);
  const target = Math.max(1, Math.min(evenShare, Math.floor(length * 0.6)));
  const smaller = pack(index, chunk.newParts, {
    target,
    max: target,
    overlap: Math.min(chunk.limits.overlap, target >> 2),
  });
  const [only] = smaller;
  const isStuck = smaller.length === 1 && only !== undefined && assemble(index, only).indexText.length >= length;
  return isStuck ? null : smaller;
}

interface AssembledChunk {
  readonly chunk: PackedChunk;
  readonly draft: Omit<ChunkDraft, "tokens">;
}

interface CountedChunk extends AssembledChunk {
  readonly tokens: number;
  /** The chunks that replace this chunk; `null` if it is within the limit or can't be made smaller. */
  readonly smaller: readonly PackedChunk[] | null;
}

function toAssembledChunk(index: BlockIndex, chunk: PackedChunk): AssembledChunk {
  return { chunk, draft: assemble(index, chunk) };
}

function* makeBatches(index: BlockIndex, chunks: readonly PackedChunk[]): Generator<AssembledChunk[]> {
  let batch: AssembledChunk[] = [];
  let characters = 0;
  for (const chunk of chunks) {
    const item = toAssembledChunk(index, chunk);
    batch.push(item);
    characters += item.draft.indexText.length;
    if (batch.length < MAX_BATCH_TEXTS && characters < FULL_BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
