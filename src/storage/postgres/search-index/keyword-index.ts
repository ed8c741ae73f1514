import type { Analyzer } from "../../../text-analysis/analyzer.js";
import { isCompound } from "../../../text-analysis/compounds.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import { suffixOfToken } from "../../../text-analysis/keyword-text.js";
import type { Stemming } from "../../../text-analysis/stemming.js";
import { IndexedRows, type NewRow } from "../../keywords/indexed-rows.js";
import { Postings } from "../../keywords/postings.js";
import { lookupKey, lookupOf, type TermLookup, withoutCompounds, wordLookup } from "../../keywords/term-lookup.js";
import { VisibleRowsCache } from "../../keywords/visible-rows.js";
import { CachedVocabulary } from "../../keywords/vocabulary.js";
import { type MergedBlock, mergeBlocks } from "./merge-blocks.js";
import { findPhrase, hasTokens, toTokens } from "./phrases.js";
import { type BlockDocument, PostingsBlock, type TermEntry } from "./postings-block.js";
import { publishedGenerations } from "./published-documents.js";
import { readBlocks } from "./read-blocks.js";
import {
  type ChangedDocument,
  changesSince,
  isSameState,
  type ScopeState,
  type SearchedScope,
} from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

/** The number of dead rows that never cause the index to be loaded again. */
const TOLERATED_DEAD_ROWS = 1000;
/** So many small blocks are merged into one, since each costs a term a search of its own. */
const MAX_SMALL_BLOCKS = 256;
/** A block with fewer chunks is small. */
const SMALL_BLOCK_CHUNKS = 1024;
/** Approximate bytes per document in the map of generations. */
const DOCUMENT_BYTES = 48;

/** A block in memory. */
interface HeldBlock {
  readonly block: PostingsBlock;
  /** The stored block from which positions are read when needed; `null` if they are in memory from the beginning. */
  readonly id: number | null;
  positions: Uint8Array | null;
  /** The row of each chunk; -1 if the chunk's generation was not published when the block was loaded. */
  readonly rows: Int32Array;
  /** The greatest number of a row. */
  readonly lastRow: number;
}

/**
 * The keyword index of a scope in a search thread: the blocks of its published documents, their chunks as rows and, for
 * each term that has been searched for, the term's postings. Its statistics are those of the published chunks alone.
 */
export class KeywordIndex {
  readonly rows = new IndexedRows();
  readonly visibleRows = new VisibleRowsCache(this.rows);
  readonly analyzer: Analyzer;
  readonly #scopeId: number;
  #state: ScopeState;
  #generations = new Map<number, number>();
  #blocks: HeldBlock[] = [];
  /** The postings of each term, the least recently used term first. */
  readonly #terms = new Map<string, Postings>();
  #termBytes = 0;
  /** How the indexed texts are stemmed. */
  readonly stemmings = new Set<Stemming>();
  readonly vocabulary = new CachedVocabulary({
    known: (tokens) =>
      tokens.filter((token) => this.#blocks.some(({ block }) => block.find(Buffer.from(token)) !== null)),
    beginningWith: (character) =>
      this.#blocks.flatMap(({ block }) => [...block.textsStartingWith(Buffer.from(character))]),
  });

  private constructor(analyzer: Analyzer, scope: SearchedScope) {
    this.analyzer = analyzer;
    this.#scopeId = scope.id;
    this.#state = scope;
  }

  /** Loads the index of a scope as of this snapshot. */
  static async load(db: Snapshot, analyzer: Analyzer, scope: SearchedScope): Promise<KeywordIndex> {
    const index = new KeywordIndex(analyzer, scope);
    index.#generations = await publishedGenerations(db, scope.id);
    await index.#loadBlocks(db);
    await index.#loadParts(db, "p.scope_id = ?", scope.id);
    return index;
  }

  get bytes(): number {
    const blocks = this.#blocks.reduce((sum, held) => sum + heldBytes(held), 0);
    return (
      this.rows.bytes +
      this.#generations.size * DOCUMENT_BYTES +
      blocks +
      this.#termBytes +
      this.vocabulary.bytes +
      this.visibleRows.bytes
    );
  }

  /** Applies the changes since the last search. Returns false if the index should be loaded again instead. */
  async update(db: Snapshot, scope: SearchedScope): Promise<boolean> {
    if (isSameState(scope, this.#state)) return true;
    const changes = await changesSince(db, scope, this.#state);
    if (changes === null) return false;
    // For the others, only vectors were written or removed.
    const changed = changes.filter(({ seq, generation }) => (this.#generations.get(seq) ?? 0) !== generation);
    this.rows.markDead(new Set(changed.map(({ seq }) => seq)));
    const { size, liveCount } = this.rows;
    if (size - liveCount > liveCount + TOLERATED_DEAD_ROWS) return false;
    for (const { seq, generation } of changed) {
      if (generation > 0) this.#generations.set(seq, generation);
      else this.#generations.delete(seq);
    }
    await this.#addDocuments(
      db,
      changed.filter(({ generation }) => generation > 0),
    );
    this.vocabulary.clear();
    this.visibleRows.clear();
    this.#state = scope;
    return true;
  }

  /**
   * Reads the positions that phrases among the terms need. Returns false if a block has been replaced, so that the index
   * must be loaded again.
   */
  async prepare(db: Snapshot, terms: readonly KeywordTerm[]): Promise<boolean> {
    const lookups = terms.map((term) => lookupOf(this.analyzer, term, this.stemmings));
    const missing = this.#blocks.filter(
      (held) => held.positions === null && lookups.some((lookup) => needsPositions(this.analyzer, held.block, lookup)),
    );
    if (missing.length === 0) return true;
    const ids = missing.map(({ id }) => id!);
    const positions = new Map<number, Uint8Array>();
    for await (const block of readBlocks(db, ["positions"], "id = ANY(?::bigint[])", ids))
      positions.set(block.id, block.positions);
    for (const held of missing) held.positions = positions.get(held.id!) ?? null;
    return positions.size === missing.length;
  }

  /** Returns the postings of each term, for which {@link prepare} was called. */
  postings(terms: readonly KeywordTerm[]): readonly Postings[] {
    return terms.map((term) => {
      const key = lookupKey(term, this.stemmings);
      return this.#postingsOf(key, () => lookupOf(this.analyzer, term, this.stemmings));
    });
  }

  postingsOfToken(token: string): Postings {
    // A term has no such character.
    return this.#postingsOf(`=${token}`, () => wordLookup([token]));
  }

  /** Returns the postings of a word without compounds. */
  wordPostings(term: KeywordTerm): Postings {
    // A term has no such character.
    return this.#postingsOf(`${term.text}=`, () => withoutCompounds(lookupOf(this.analyzer, term, this.stemmings)));
  }

  /** Evicts the vocabulary and visible rows, then the least recently used terms, then positions, until the index fits in `maxBytes`. */
  shrink(maxBytes: number): void {
    if (this.bytes > maxBytes) {
      this.vocabulary.clear();
      this.visibleRows.clear();
    }
    for (const [key, postings] of this.#terms) {
      if (this.bytes <= maxBytes) return;
      this.#terms.delete(key);
      this.#termBytes -= postings.bytes;
    }
    if (this.bytes <= maxBytes) return;
    for (const held of this.#blocks) if (held.id !== null) held.positions = null;
  }

  #postingsOf(key: string, toLookup: () => TermLookup): Postings {
    const known = this.#terms.get(key);
    this.#terms.delete(key);
    const before = known?.bytes ?? 0;
    const postings = known ?? new Postings(0);
    if (!known || postings.upTo < this.rows.size) this.#extend(postings, toLookup());
    this.#termBytes += postings.bytes - before;
    this.#terms.set(key, postings);
    return postings;
  }

  /** Adds the rows from `postings.upTo` on. */
  #extend(postings: Postings, lookup: TermLookup): void {
    const numbers: number[] = [];
    const counts: number[] = [];
    const from = postings.upTo;
    for (const held of this.#blocks) {
      if (held.lastRow < from) continue;
      readOccurrences(this.analyzer, held, lookup, (number, count) => {
        if (number < from) return;
        numbers.push(number);
        counts.push(count);
      });
    }
    postings.extend({ numbers, counts }, this.rows.size);
  }

  async #loadBlocks(db: Snapshot): Promise<void> {
    const blocks: { readonly id: number; readonly block: PostingsBlock; readonly positions: null }[] = [];
    for await (const { id, words } of readBlocks(db, ["words"], "scope_id = ?", this.#scopeId))
      blocks.push({ id, block: new PostingsBlock(words), positions: null });
    this.#hold(blocks);
  }

  /** Adds the published documents among the parts that meet a condition. */
  async #loadParts(db: Snapshot, condition: string, value: number | readonly number[]): Promise<void> {
    const parts = await db.copy(
      { words: "bytes", positions: "bytes" },
      `SELECT p.words, p.positions FROM keyword_parts p
       JOIN documents d ON d.seq = p.document_seq AND d.generation = p.generation
       WHERE ${condition} ORDER BY p.first_chunk`,
      value,
    );
    const blocks = parts.map(({ words, positions }) => {
      return { block: new PostingsBlock(words), positions };
    });
    this.#hold(mergeSmall(blocks).map((block) => ({ ...block, id: null })));
    this.#mergeSmallBlocks();
  }

  /** Adds documents that were published since the index was loaded, from their parts or from the blocks that have them. */
  async #addDocuments(db: Snapshot, documents: readonly ChangedDocument[]): Promise<void> {
    if (documents.length === 0) return;
    const seqs = documents.map(({ seq }) => seq);
    const condition = `id IN (
      SELECT b.block FROM block_documents b JOIN documents d ON d.seq = b.document_seq AND d.generation = b.generation
      WHERE b.document_seq = ANY(?::bigint[]))`;
    const blocks: MergedBlock[] = [];
    for await (const { words, positions } of readBlocks(db, ["words", "positions"], condition, seqs))
      blocks.push({ block: new PostingsBlock(words), positions });
    const added = new Map(documents.map(({ seq, generation }) => [seq, generation]));
    const keeps = (document: BlockDocument) => added.get(document.documentSeq) === document.generation;
    if (blocks.length > 0) {
      const merged = mergeBlocks(blocks, keeps);
      this.#hold([{ block: new PostingsBlock(merged.words), positions: merged.positions, id: null }]);
    }
    await this.#loadParts(db, "p.document_seq = ANY(?::bigint[])", seqs);
  }

  /** Adds the published chunks of blocks as rows. */
  #hold(blocks: readonly Pick<HeldBlock, "block" | "id" | "positions">[]): void {
    const published = blocks.map(({ block }) => this.#publishedRows(block));
    this.rows.append(published.flat());
    for (const [index, { block, id, positions }] of blocks.entries()) {
      const rows = new Int32Array(block.chunkCount).fill(-1);
      // In the order of chunks, which is almost always their order in the block, too.
      const ordered = published[index]!.toSorted((a, b) => a.chunkSeq - b.chunkSeq);
      this.rows.match(
        ordered.map(({ chunkSeq }) => chunkSeq),
        (place, number) => {
          rows[ordered[place]!.chunk] = number;
        },
      );
      this.#blocks.push({ block, id, positions, rows, lastRow: rows.reduce((max, row) => Math.max(max, row), -1) });
    }
  }

  #publishedRows(block: PostingsBlock): readonly (NewRow & { readonly chunk: number })[] {
    const published: (NewRow & { chunk: number })[] = [];
    let chunk = 0;
    for (const { documentSeq, generation, chunks } of block.documents()) {
      const isPublished = this.#generations.get(documentSeq) === generation;
      for (const end = chunk + chunks; chunk < end; chunk++) {
        if (!isPublished) continue;
        this.stemmings.add(block.stemming(chunk));
        published.push({ chunkSeq: block.chunkSeqs[chunk]!, documentSeq, wordCount: block.wordCount(chunk), chunk });
      }
    }
    return published;
  }

  /** Merges small blocks if there are many. Their rows stay. */
  #mergeSmallBlocks(): void {
    const small = this.#blocks.filter(({ id, block }) => id === null && block.chunkCount < SMALL_BLOCK_CHUNKS);
    if (small.length <= MAX_SMALL_BLOCKS) return;
    const merged = mergeBlocks(small.map(({ block, positions }) => ({ block, positions: positions! })));
    const rows = Int32Array.from(small.flatMap(({ rows }) => [...rows]));
    this.#blocks = this.#blocks.filter((held) => !small.includes(held));
    this.#blocks.push({
      block: new PostingsBlock(merged.words),
      id: null,
      positions: merged.positions,
      rows,
      lastRow: rows.reduce((max, row) => Math.max(max, row), -1),
    });
  }
}

/** Merges so many blocks that hundreds would not be held. Those that remain are few enough to be held as they are. */
function mergeSmall(blocks: readonly MergedBlock[]): readonly MergedBlock[] {
  if (blocks.length <= MAX_SMALL_BLOCKS) return blocks;
  const merged: MergedBlock[] = [];
  for (let from = 0; from < blocks.length; ) {
    const group: MergedBlock[] = [];
    for (
      let chunks = 0;
      from < blocks.length && chunks < SMALL_BLOCK_CHUNKS;
      chunks += blocks[from++]!.block.chunkCount
    )
      group.push(blocks[from]!);
    const { words, positions } = mergeBlocks(group);
    merged.push({ block: new PostingsBlock(words), positions });
  }
  return merged;
}

function heldBytes({ block, positions, rows }: HeldBlock): number {
  return block.bytes.byteLength + (positions?.byteLength ?? 0) + rows.byteLength;
}

function needsPositions(analyzer: Analyzer, block: PostingsBlock, lookup: TermLookup): boolean {
  if (lookup.kind !== "phrases") return false;
  return lookup.phrases.some(({ phrase, prefix }) => {
    const tokens = toTokens(analyzer, phrase);
    return tokens.length > 1 && hasTokens(block, tokens, prefix);
  });
}

/** Calls `onRow` for each row of a block that a lookup finds, each once. */
function readOccurrences(
  analyzer: Analyzer,
  { block, positions, rows }: HeldBlock,
  lookup: TermLookup,
  onRow: (number: number, count: number) => void,
): void {
  const tokenEntries = (tokens: readonly string[]) => tokens.flatMap((token) => block.find(Buffer.from(token)) ?? []);
  if (lookup.kind === "word") {
    const counts = new Map<number, number>();
    const { tokens, compounds } = lookup;
    const { starts, parts } = compounds;
    const compoundEntries = starts.flatMap((compound) => [
      ...block.startingWith(
        Buffer.from(compound.start),
        (token) => isCompound(token, compound) && !tokens.includes(token),
      ),
    ]);
    const entries = [...tokenEntries(tokens), ...compoundEntries];
    if (entries.length === 1 && parts.length === 0) {
      block.read(entries[0]!, onChunk);
      return;
    }
    for (const entry of entries)
      block.read(entry, (chunk, count) => counts.set(chunk, (counts.get(chunk) ?? 0) + count));
    for (const { first, rest } of parts) {
      const restEntry = block.find(Buffer.from(rest));
      if (!restEntry) continue;
      const withFirst = new Set<number>();
      for (const entry of tokenEntries(first)) block.read(entry, (chunk) => withFirst.add(chunk));
      block.read(restEntry, (chunk) => {
        if (withFirst.has(chunk) && !counts.has(chunk)) counts.set(chunk, 1);
      });
    }
    for (const [chunk, count] of counts) onChunk(chunk, count);
    return;
  }
  const found = new Set<number>();
  const addChunks = (entry: TermEntry) => block.read(entry, (chunk) => found.add(chunk));
  if (lookup.kind === "prefix") {
    for (const { start, suffixes } of lookup.prefixes) {
      const hasSuffix = suffixes ? (token: string) => suffixes.includes(suffixOfToken(token)) : undefined;
      for (const entry of block.startingWith(Buffer.from(start), hasSuffix)) addChunks(entry);
    }
    for (const entry of tokenEntries(lookup.tokens)) addChunks(entry);
  } else {
    for (const { phrase, prefix } of lookup.phrases)
      for (const chunk of findPhrase({ block, positions }, toTokens(analyzer, phrase), prefix)) found.add(chunk);
  }
  for (const chunk of found) onChunk(chunk, 1);

  function onChunk(chunk: number, count: number): void {
    if (rows[chunk]! >= 0) onRow(rows[chunk]!, count);
  }
}
