import { isDeepStrictEqual } from "node:util";
import { storedChunkId } from "#dist/domain/ids.js";
import { filterableValue, matchesFilter } from "#dist/filter.js";
import { positionsToJson } from "#dist/storage/chunk-positions.js";
import { indexedText } from "#dist/storage/indexed-text.js";
import { chunkMetadata } from "#dist/storage/records/chunks.js";
import { Analyzer } from "#dist/text-analysis/analyzer.js";
import { highlight, toHighlightTerms } from "#dist/text-analysis/highlight.js";
import { keywordText } from "#dist/text-analysis/keyword-text.js";
import { bytesToVector } from "#dist/util/float32-bytes.js";
import type { FilterNode } from "../../src/filter.js";
import type { Step } from "../../src/storage/operation.js";
import type {
  IndexedChunks,
  SearchIndex,
  SearchIndexWriter,
  StoredChunk,
  StoredPassage,
} from "../../src/storage/search-index.js";
import type { KeywordTerm } from "../../src/text-analysis/keyword-term.js";
import type { Stemming } from "../../src/text-analysis/stemming.js";
import type { CallOptions, Metadata, Scope, Status } from "../../src/types.js";

/** A document as the records have it. */
export interface IndexedDocument {
  readonly seq: number;
  readonly id: string;
  readonly scopeId: number;
  readonly generation: number;
  readonly status: Status;
  readonly contentHash: string | null;
}

/** What a search index reads of the records. */
export interface IndexRecords {
  scopeId(scope: Scope): Promise<number | null>;
  documents(scopeId: number): Promise<readonly IndexedDocument[]>;
  document(id: string): Promise<IndexedDocument | null>;
}

/** Runs work in a transaction of its own, after those that were asked for before. */
type InTransaction = <Result>(work: (records: IndexRecords) => Promise<Result>) => Promise<Result>;

interface Row extends StoredChunk {
  readonly seq: number;
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly embeddingKey: Uint8Array | null;
  readonly stemming: Stemming;
}

interface Chunk {
  readonly row: Row;
  readonly metadata: Metadata;
  readonly tokens: readonly string[];
  vector: Float32Array | null;
}

/** A published chunk with its document. */
interface Live {
  readonly chunk: Chunk;
  readonly document: IndexedDocument;
  readonly id: string;
}

function notRestored(): never {
  throw new Error("The chunks of this index are in no table, so none are copied.");
}

const K1 = 1.2;
const B = 0.75;
const MIN_IDF = 1e-6;
const MAX_SIBLINGS = 20;

/**
 * A search index in arrays: each search looks at every chunk. It shows what the port asks of an engine, in the fewest words, and is
 * what SQLite's is compared with. A transaction that is rolled back leaves its chunks here, unpublished.
 */
export class MemorySearchIndex implements SearchIndex {
  readonly #inTransaction: InTransaction;
  readonly #analyzer = new Analyzer();
  readonly #epochs = new Map<number, number>();
  readonly #cache = new Map<string, Uint8Array>();
  #chunks: Chunk[] = [];
  #nextSeq = 1;

  constructor(inTransaction: InTransaction) {
    this.#inTransaction = inTransaction;
  }

  readonly writer: SearchIndexWriter = {
    writeChunks: (batches) =>
      step(() => {
        for (const batch of batches) this.#write(batch);
      }),
    publish: (publications) =>
      step(() => {
        for (const { scopeId } of publications) this.#changed(scopeId);
      }),
    removeChunks: ({ documentSeq, generation, limit }) =>
      step(() => {
        const removed = this.#of(documentSeq, generation).slice(0, limit);
        this.#chunks = this.#chunks.filter((chunk) => !removed.includes(chunk));
        const kept = new Set(this.#chunks.map(({ row }) => hex(row.embeddingKey)));
        for (const { row } of removed) {
          if (kept.has(hex(row.embeddingKey))) continue;
          for (const key of this.#cache.keys()) if (key.endsWith(`:${hex(row.embeddingKey)}`)) this.#cache.delete(key);
        }
        return removed.length === limit;
      }),
    restoreChunks: () => step(notRestored),
    restoreScope: () => step(notRestored),
    removeScope: (scopeId) => step(() => void this.#epochs.delete(scopeId)),
    removeNamespace: (namespaceId) =>
      step(() => {
        for (const key of this.#cache.keys()) if (key.startsWith(`${namespaceId}:`)) this.#cache.delete(key);
      }),
  };

  #write(batch: IndexedChunks): void {
    for (const chunk of batch.chunks) {
      const metadata = chunkMetadata(batch.metadata, chunk, batch.timeKey);
      const row: Row = {
        seq: this.#nextSeq++,
        scopeId: batch.scopeId,
        documentSeq: batch.documentSeq,
        generation: batch.generation,
        ordinal: chunk.ordinal,
        text: chunk.text,
        headings: chunk.headings,
        page: chunk.page,
        metadata: JSON.stringify(metadata),
        start: chunk.start,
        end: chunk.end,
        boxes: positionsToJson(chunk),
        isDamaged: false,
        embeddingKey: chunk.embeddingKey,
        stemming: batch.stemming,
      };
      const [tokens] = this.#analyzer.terms([keywordText(indexedText(chunk), batch.stemming)]);
      this.#chunks.push({ row, metadata, tokens: tokens!, vector: chunk.vector ? bytesToVector(chunk.vector) : null });
    }
    for (const { key, vector } of batch.cache?.entries ?? []) {
      this.#cache.set(cacheKey(batch.cache!.namespaceId, key), vector);
    }
  }

  async keywordSearch(search: Parameters<SearchIndex["keywordSearch"]>[0], options?: CallOptions) {
    const { live, epoch } = await this.#snapshot(search.scope, options);
    const mean = live.reduce((sum, { chunk }) => sum + chunk.tokens.length, 0) / live.length;
    const weighed = search.terms.map((term) => {
      const counts = live.map(({ chunk }) => this.#count(chunk, term));
      const containing = counts.filter((count) => count > 0).length;
      const idf = Math.max(MIN_IDF, Math.log((live.length - containing + 0.5) / (containing + 0.5)));
      return { counts, containing, idf };
    });
    const known = weighed.filter(({ containing }) => containing > 0).map(({ idf }) => idf);
    const missing = (weighed.length - known.length) * Math.max(0, ...known);
    const ranked = live
      .map((found, index) => {
        const { length } = found.chunk.tokens;
        const parts = weighed.map(({ counts, idf }) => {
          const count = counts[index]!;
          return (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / mean));
        });
        const hasAllTerms = weighed.every(({ counts }) => counts[index]! > 0);
        const found_ = weighed.some(({ counts }) => counts[index]! > 0);
        return { ...found, hasAllTerms, isFound: found_, bm25: parts.reduce((sum, part) => sum + part, 0) };
      })
      .filter(({ isFound, chunk, document }) => isFound && this.#passes(chunk, document, search))
      .sort(
        (a, b) =>
          Number(b.hasAllTerms) - Number(a.hasAllTerms) ||
          b.bm25 - a.bm25 ||
          a.document.seq - b.document.seq ||
          a.chunk.row.seq - b.chunk.row.seq,
      )
      .slice(0, search.limit);
    return {
      matches: ranked.map(({ id, bm25, hasAllTerms }) => ({ id, bm25, hasAllTerms })),
      ceiling: live.length === 0 ? 0 : (K1 + 1) * (known.reduce((sum, idf) => sum + idf, 0) + missing),
      epoch,
      passages: search.withPassages ? ranked.map(toPassage) : null,
    };
  }

  async vectorSearch(search: Parameters<SearchIndex["vectorSearch"]>[0], options?: CallOptions) {
    const { live } = await this.#snapshot(search.scope, options);
    const ranked = live
      .filter(({ chunk, document }) => chunk.vector !== null && this.#passes(chunk, document, search))
      .map((found) => ({ ...found, similarity: cosine(search.vector, found.chunk.vector!) }))
      .sort((a, b) => b.similarity - a.similarity || a.chunk.row.seq - b.chunk.row.seq)
      .slice(0, search.limit);
    const matches = ranked.map(({ id, similarity }) => ({ id, similarity }));
    return { matches, passages: search.withPassages ? ranked.map(toPassage) : null };
  }

  async livePassages({ scope, ids }: { scope: Scope; ids: readonly string[] }, options?: CallOptions) {
    const { live, epoch } = await this.#snapshot(scope, options);
    const found = ids.flatMap((id) => live.find((other) => other.id === id) ?? []);
    return { epoch, passages: found.map(toPassage), missing: ids.length - found.length };
  }

  async liveChunks(question: Parameters<SearchIndex["liveChunks"]>[0], options?: CallOptions) {
    const { live } = await this.#snapshot(question.scope, options);
    const found = question.ids.flatMap((id) => live.find((other) => other.id === id) ?? []);
    const containing = found.filter(({ chunk }) => this.#contains(chunk, question.required));
    return { ids: containing.map(({ id }) => id), missing: question.ids.length - found.length };
  }

  async neighbours({ chunkSeqs }: { chunkSeqs: readonly number[] }, options?: CallOptions) {
    options?.signal?.throwIfAborted();
    return chunkSeqs.map((seq) => {
      const own = this.#chunks.find(({ row }) => row.seq === seq)?.row;
      if (!own) return { previous: null, next: null, siblings: [] };
      const others = this.#of(own.documentSeq, own.generation).map(({ row }) => row);
      const at = (ordinal: number) => others.find((row) => row.ordinal === ordinal)?.ordinal ?? null;
      const siblings = others
        .filter(({ headings, seq }) => isDeepStrictEqual(headings, own.headings) && seq !== own.seq)
        .map(({ ordinal }) => ordinal)
        .sort((a, b) => Math.abs(a - own.ordinal) - Math.abs(b - own.ordinal))
        .slice(0, MAX_SIBLINGS)
        .sort((a, b) => a - b);
      return { previous: at(own.ordinal - 1), next: at(own.ordinal + 1), siblings };
    });
  }

  async highlights(question: Parameters<SearchIndex["highlights"]>[0], options?: CallOptions) {
    options?.signal?.throwIfAborted();
    return question.chunkSeqs.map((seq) => {
      const chunk = this.#chunks.find(({ row }) => row.seq === seq);
      if (!chunk) return [];
      return highlight(
        this.#analyzer,
        chunk.row.text,
        toHighlightTerms(this.#analyzer, question.terms, chunk.row.stemming),
      );
    });
  }

  async chunksByTerm({ scope, terms, chunkSeqs }: Parameters<SearchIndex["chunksByTerm"]>[0], options?: CallOptions) {
    const { live } = await this.#snapshot(scope, options);
    const asked = live.filter(({ chunk }) => chunkSeqs.includes(chunk.row.seq));
    return terms.map(
      (term) => new Set(asked.flatMap(({ chunk }) => (this.#count(chunk, term) > 0 ? chunk.row.seq : []))),
    );
  }

  async documentEligibility(question: Parameters<SearchIndex["documentEligibility"]>[0], options?: CallOptions) {
    const { live, documents } = await this.#snapshot(question.scope, options);
    const document = documents.find(({ id }) => id === question.documentId);
    if (!document) return { status: null, chunks: [] };
    const chunks = live
      .filter((found) => found.document === document)
      .sort((a, b) => a.chunk.row.ordinal - b.chunk.row.ordinal)
      .map(({ id, chunk }) => ({
        id,
        chunkSeq: chunk.row.seq,
        ordinal: chunk.row.ordinal,
        meetsFilter: this.#meets(chunk, document, question),
        hasRequired: this.#contains(chunk, question.required),
      }));
    return { status: document.status, chunks };
  }

  async filterKeys({ scope, keys }: { scope: Scope; keys: readonly string[] }, options?: CallOptions) {
    options?.signal?.throwIfAborted();
    const scopeId = await this.#inTransaction((records) => records.scopeId(scope));
    if (scopeId === null) return { missing: [], present: [] };
    const known = new Set(
      this.#chunks
        .filter(({ row }) => row.scopeId === scopeId)
        .map(withHeadings)
        .flatMap((metadata) => Object.keys(metadata).filter((key) => filterableValue(metadata, key) !== undefined)),
    );
    const missing = keys.filter((key) => !known.has(key));
    return { missing, present: missing.length === 0 ? [] : [...known].sort() };
  }

  async warmUp(): Promise<void> {}

  async writeVectors(vectors: Parameters<SearchIndex["writeVectors"]>[0], options?: CallOptions) {
    options?.signal?.throwIfAborted();
    await this.#inTransaction(async (records) => {
      for (const { documentId, generation, ordinal, vector } of vectors) {
        const document = await records.document(documentId);
        const chunk = document && this.#of(document.seq, generation).find(({ row }) => row.ordinal === ordinal);
        if (!chunk) continue;
        chunk.vector = vector;
        if (document.generation === generation) this.#changed(document.scopeId);
      }
    });
  }

  async removeVectors(scope: Scope, target: Parameters<SearchIndex["removeVectors"]>[1], options?: CallOptions) {
    options?.signal?.throwIfAborted();
    await this.#inTransaction(async (records) => {
      const scopeId = await records.scopeId(scope);
      const documents = scopeId === null ? [] : await records.documents(scopeId);
      for (const document of documents) {
        if (target !== "all" && document.id !== target.documentId) continue;
        const generation = target === "all" ? undefined : target.generation;
        for (const chunk of this.#of(document.seq, generation ?? "all")) chunk.vector = null;
        this.#changed(document.scopeId);
      }
    });
  }

  async cachedVectors(question: { namespaceId: string; keys: readonly Uint8Array[] }, options?: CallOptions) {
    options?.signal?.throwIfAborted();
    return question.keys.map((key) => this.#cache.get(cacheKey(question.namespaceId, key)) ?? null);
  }

  async readChunks(question: Parameters<SearchIndex["readChunks"]>[0], options?: CallOptions) {
    options?.signal?.throwIfAborted();
    return this.#of(question.documentSeq, question.generation)
      .map(({ row }) => row)
      .filter(({ ordinal }) => ordinal >= question.from)
      .sort((a, b) => a.ordinal - b.ordinal)
      .slice(0, question.limit);
  }

  async chunkOrdinals(question: { documentSeq: number; generation?: number | undefined }, options?: CallOptions) {
    options?.signal?.throwIfAborted();
    const chunks = this.#of(question.documentSeq, question.generation ?? "all");
    return chunks.map(({ row: { generation, ordinal } }) => ({ generation, ordinal }));
  }

  async chunkGenerations({ documentSeq }: { documentSeq: number }, options?: CallOptions) {
    options?.signal?.throwIfAborted();
    const chunks = this.#of(documentSeq, "all");
    return [...new Set(chunks.map(({ row }) => row.generation))].map((generation) => {
      return { generation, chunks: chunks.filter(({ row }) => row.generation === generation).length };
    });
  }

  async maintain(): Promise<boolean> {
    return false;
  }

  #of(documentSeq: number, generation: number | "all"): readonly Chunk[] {
    return this.#chunks.filter(
      ({ row }) => row.documentSeq === documentSeq && (generation === "all" || row.generation === generation),
    );
  }

  #changed(scopeId: number): void {
    this.#epochs.set(scopeId, (this.#epochs.get(scopeId) ?? 0) + 1);
  }

  async #snapshot(scope: Scope, options?: CallOptions) {
    options?.signal?.throwIfAborted();
    return this.#inTransaction(async (records) => {
      const scopeId = await records.scopeId(scope);
      const documents = scopeId === null ? [] : await records.documents(scopeId);
      const live = documents.flatMap((document): Live[] =>
        this.#of(document.seq, document.generation).map((chunk) => {
          return { chunk, document, id: storedChunkId(document.id, document.generation, chunk.row.ordinal) };
        }),
      );
      live.sort((a, b) => a.chunk.row.seq - b.chunk.row.seq);
      return { live, documents, epoch: scopeId === null ? 0 : (this.#epochs.get(scopeId) ?? 0) };
    });
  }

  #passes(
    chunk: Chunk,
    document: IndexedDocument,
    search: {
      readonly scope: Scope;
      readonly filter: FilterNode | null;
      readonly required: readonly KeywordTerm[] | null;
    },
  ): boolean {
    return this.#meets(chunk, document, search) && this.#contains(chunk, search.required);
  }

  #meets(
    chunk: Chunk,
    document: IndexedDocument,
    { scope, filter }: { readonly scope: Scope; readonly filter: FilterNode | null },
  ): boolean {
    const { ordinal, page } = chunk.row;
    const own = { documentId: document.id, sequence_number: ordinal, namespaceId: scope.namespaceId };
    const tenant = scope.tenantId === null ? {} : { tenantId: scope.tenantId };
    const engine = { ...own, ...tenant, ...(page === null ? {} : { page_number: page }) };
    return filter === null || matchesFilter(filter, { ...withHeadings(chunk), ...engine });
  }

  #contains(chunk: Chunk, required: readonly KeywordTerm[] | null): boolean {
    return required === null || required.every((term) => this.#count(chunk, term) > 0);
  }

  /** How often a chunk has a term; a phrase or the beginning of a word counts once. */
  #count(chunk: Chunk, term: KeywordTerm): number {
    const { terms } = toHighlightTerms(this.#analyzer, [term], chunk.row.stemming);
    const forms = terms.filter(({ tokens }) => tokens.length > 0);
    const occurrences = chunk.tokens.filter((_, at) =>
      forms.some(({ tokens, matchesLast }) =>
        tokens.every((token, offset) => {
          const here = chunk.tokens[at + offset];
          return here === token || (offset === tokens.length - 1 && here !== undefined && matchesLast(here));
        }),
      ),
    ).length;
    return term.prefix || forms.some(({ tokens }) => tokens.length > 1) ? Math.min(1, occurrences) : occurrences;
  }
}

/** A step of an operation that has its answer at once. */
function step<Result>(work: () => Result): Step<Result> {
  return {
    // biome-ignore lint/correctness/useYield: the answer is there without waiting
    *[Symbol.iterator]() {
      return work();
    },
  };
}

function toPassage({ id, chunk: { row }, document }: Live): StoredPassage {
  return {
    id,
    chunkSeq: row.seq,
    documentId: document.id,
    generation: row.generation,
    ordinal: row.ordinal,
    text: row.text,
    headings: row.headings,
    page: row.page,
    isDamaged: row.isDamaged,
    metadata: row.metadata,
    start: row.start,
    end: row.end,
    boxes: row.boxes,
    contentHash: document.contentHash,
  };
}

function withHeadings({ row: { headings }, metadata }: Chunk): Metadata {
  return headings.length > 0 && !Object.hasOwn(metadata, "headings") ? { ...metadata, headings } : metadata;
}

function cacheKey(namespaceId: string, key: Uint8Array): string {
  return `${namespaceId}:${hex(key)}`;
}

function hex(key: Uint8Array | null): string {
  return key === null ? "" : Buffer.from(key).toString("hex");
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths === 0 ? 0 : Math.min(1, Math.max(-1, dot / lengths));
}
