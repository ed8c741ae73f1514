import { isDeepStrictEqual } from "node:util";
import { matchesFilter, parseFilter } from "#dist/filter.js";
import { unitVector } from "#dist/storage/unit-vector.js";
import { ENGLISH, stemmingOfLanguage, UNSTEMMED } from "#dist/text-analysis/stemming.js";
import { vectorToBytes } from "#dist/util/float32-bytes.js";
import type { Operation } from "../../src/storage/operation.js";
import type { NewChunk, SearchIndex } from "../../src/storage/search-index.js";
import type { Tx } from "../../src/storage/tx.js";
import type { Metadata, Scope } from "../../src/types.js";
import { randomChunks, randomFilter, randomMetadata, randomTerms, randomVector } from "./engine-corpus.js";
import type { ComparedEngine } from "./engine-pair.js";
import { type Random, seededRandom } from "./random.js";

export interface EngineCampaign {
  readonly engines: readonly [ComparedEngine, ComparedEngine];
  /** The number of searches to compare. */
  readonly cases: number;
  readonly seed: number;
  onCase?(count: number): void;
}

/** The changes and searches of one namespace. */
const STEPS = 40;
const TENANTS = [null, "acme"] as const;
/** English most often, unstemmed, and languages with and without diacritics in their endings. */
const STEMMINGS = [ENGLISH, ENGLISH, ENGLISH, UNSTEMMED, ...["de", "es", "tr"].map(stemmingOfLanguage)];

interface Document {
  readonly id: string;
  readonly scope: number;
  readonly metadata: Metadata;
  generation: number;
  last: number;
  chunks: readonly NewChunk[];
}

/** Makes the same changes in two engines, and compares what each of their readers finds. */
export async function engineCampaign({ engines, cases, seed, onCase }: EngineCampaign) {
  const faults: string[] = [];
  let compared = 0;
  for (let world = 0; compared < cases && faults.length < 10; world++) {
    const random = seededRandom(seed + world);
    const space = new Space(engines, random, `ns_${seed}_${world}`);
    await space.create();
    for (let step = 0; step < STEPS && compared < cases; step++) {
      if (random.next() < 0.5) {
        await space.change();
        continue;
      }
      const fault = await space.compare();
      if (fault) faults.push(`seed ${seed + world}, step ${step}: ${fault}`);
      compared++;
      onCase?.(compared);
    }
  }
  return { compared, faults };
}

class Space {
  readonly #engines: readonly ComparedEngine[];
  readonly #random: Random;
  readonly #namespaceId: string;
  readonly #dimensions: number;
  readonly #documents: Document[] = [];
  /** The set of vectors that searches use. */
  #vectorSet = 0;

  constructor(engines: readonly ComparedEngine[], random: Random, namespaceId: string) {
    this.#engines = engines;
    this.#random = random;
    this.#namespaceId = namespaceId;
    this.#dimensions = random.integer(2, 20);
  }

  async create(): Promise<void> {
    const id = this.#namespaceId;
    await this.#writeToAll(function* (tx) {
      yield* tx.run("INSERT INTO organizations (id, name, created_at) VALUES ('org', 'o', 0) ON CONFLICT DO NOTHING");
      yield* tx.run(
        `INSERT INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
         VALUES (?, 'org', 'n', ?, ?, '{}', '{}', 0)`,
        ...[id, id, id],
      );
      yield* tx.run(
        "INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at) VALUES (?, ?, 'COMPLETED', '{}', 0)",
        ...[id, id],
      );
      for (const tenant of TENANTS)
        yield* tx.run("INSERT INTO scopes (namespace_id, tenant_id) VALUES (?, ?)", id, tenant);
    });
  }

  async change(): Promise<void> {
    const random = this.#random;
    const document = random.next() < 0.6 && this.#documents.length > 0 ? random.pick(this.#documents) : null;
    const kind = random.next();
    if (!document || kind < 0.4) await this.#publish(document ?? this.#newDocument());
    else if (kind < 0.55) await this.#hide(document);
    else if (kind < 0.65) await this.#purge(document);
    else if (kind < 0.75 && document.generation > 0) await this.#writeVectors(document, document.generation);
    else if (kind < 0.83) await this.#removeVectors(document);
    else if (kind < 0.88) await this.#changeModel();
    else for (const { indexes } of this.#engines) while (await indexes[0]!.maintain());
  }

  /** Returns how the engines differ; `null` if they don't. */
  async compare(): Promise<string | null> {
    const random = this.#random;
    const scope = random.pick(TENANTS.map((tenantId) => this.#scope(tenantId)));
    const ids = this.#documents.map(({ id }) => id);
    const written = random.next() < 0.5 ? randomFilter(random, [...ids, "acme", this.#namespaceId]) : null;
    const filter = written && parseFilter(written);
    const required = random.next() < 0.2 ? randomTerms(random, 2) : null;
    const among = {
      scope,
      filter,
      required: required?.length === 0 ? null : required,
      limit: random.pick([1, 3, 10, 50]),
    };
    const terms = randomTerms(random, 4);
    const vector = randomVector(random, this.#dimensions);
    const ask = async (index: SearchIndex) => {
      const keyword = await index.keywordSearch({
        ...among,
        terms,
        typoTolerance: true,
        withPassages: false,
      });
      const semantic = await index.vectorSearch({
        ...{ ...among, vector, vectorSet: this.#vectorSet },
        ...{ withPassages: true, approximate: false },
      });
      return { keyword, semantic: semantic.matches };
    };
    const answers = [];
    for (const { indexes } of this.#engines) for (const index of indexes) answers.push(await ask(index));
    const [expected, ...others] = answers;
    const question = () => JSON.stringify({ among: { ...among, filter: written }, terms, vector: [...vector] });
    for (const other of others) {
      const { epoch: _, ...keyword } = other.keyword;
      const { epoch: __, ...expectedKeyword } = expected!.keyword;
      if (!isDeepStrictEqual(keyword, expectedKeyword))
        return `${question()}\n${JSON.stringify(expectedKeyword)}\n${JSON.stringify(keyword)}`;
      if (!areNear(expected!.semantic, other.semantic))
        return `${question()}\n${JSON.stringify(expected!.semantic)}\n${JSON.stringify(other.semantic)}`;
    }
    return written ? this.#compareFilter(written) : null;
  }

  /** Compares a filter with its definition, for each chunk of each document. */
  async #compareFilter(written: Record<string, unknown>): Promise<string | null> {
    const filter = parseFilter(written);
    const index = this.#engines[1]!.indexes[0]!;
    for (const { id, scope, metadata, chunks, generation } of this.#documents) {
      if (generation === 0) continue;
      const own = this.#scope(TENANTS[scope]!);
      const found = await index.documentEligibility({ scope: own, documentId: id, filter, required: null });
      const expected = chunks.map(({ ordinal, page, headings }) => {
        const engine = { documentId: id, sequence_number: ordinal, namespaceId: this.#namespaceId };
        const given =
          headings.length > 0 && !Object.hasOwn(metadata, "headings") ? { ...metadata, headings } : metadata;
        return matchesFilter(filter, {
          ...without(given, ["page_number", "tenantId"]),
          ...engine,
          ...(TENANTS[scope] === null ? {} : { tenantId: TENANTS[scope]! }),
          ...(page === null ? {} : { page_number: page }),
        });
      });
      const meets = found.chunks.map(({ meetsFilter }) => meetsFilter);
      if (found.chunks.length > 0 && !isDeepStrictEqual(meets, expected))
        return `filter ${JSON.stringify(written)} of ${JSON.stringify(metadata)}: ${meets}, not ${expected}`;
    }
    return null;
  }

  #newDocument(): Document {
    const document: Document = {
      id: `doc_${this.#namespaceId}_${this.#documents.length}`,
      scope: this.#random.integer(0, TENANTS.length - 1),
      metadata: randomMetadata(this.#random),
      ...{ generation: 0, last: 0, chunks: [] },
    };
    this.#documents.push(document);
    return document;
  }

  async #publish(document: Document): Promise<void> {
    const { id, scope, metadata } = document;
    const namespaceId = this.#namespaceId;
    const item = this.#documents.indexOf(document);
    const generation = document.last + 1;
    const isTogether = this.#random.next() < 0.5;
    const hasVectors = this.#random.next() < 0.3;
    const chunks = randomChunks(this.#random, this.#random.integer(0, 6)).map((chunk) => {
      if (!hasVectors) return chunk;
      return { ...chunk, vector: vectorToBytes(unitVector(randomVector(this.#random, this.#dimensions))) };
    });
    const stemming = this.#random.pick(STEMMINGS);
    const vectorSet = this.#vectorSet;
    await this.#writeToAll(function* (tx) {
      yield* tx.run(
        `INSERT INTO documents (id, ingest_job_id, namespace_id, tenant_id, scope_id, item, status, config, file_size, mime_type, created_at)
         SELECT ?, ?, ?, s.tenant_id, s.id, ?, 'COMPLETED', '{}', 0, '', 0 FROM scopes s
         WHERE s.namespace_id = ? AND coalesce(s.tenant_id, '') = ? ON CONFLICT DO NOTHING`,
        ...[id, namespaceId, namespaceId, item, namespaceId, TENANTS[scope] ?? ""],
      );
      const { seq, scopeId } = yield* find(tx, id);
      const half = chunks.length >> 1;
      const batch = { documentSeq: seq, scopeId, generation, metadata, stemming, vectorSet, cache: null };
      const parts = [chunks.slice(0, half), chunks.slice(half)].map((part) => ({ ...batch, chunks: part }));
      if (isTogether) yield* tx.index.writeChunks(parts);
      else for (const part of parts) yield* tx.index.writeChunks([part]);
    });
    Object.assign(document, { chunks, last: generation });
    if (!hasVectors) await this.#writeVectors(document, generation);
    await this.#setGeneration(document, generation);
  }

  async #writeVectors({ id, chunks }: Document, generation: number): Promise<void> {
    const vectors = chunks
      .filter(() => this.#random.next() < 0.9)
      .map(({ ordinal }) => {
        return { documentId: id, generation, ordinal, vector: randomVector(this.#random, this.#dimensions) };
      });
    const vectorSet = this.#vectorSet;
    for (const { indexes } of this.#engines) await indexes[0]!.writeVectors(vectors, { vectorSet });
  }

  /** Lets searches use another set of vectors, with new vectors of most chunks. */
  async #changeModel(): Promise<void> {
    this.#vectorSet++;
    for (const document of this.#documents)
      if (document.generation > 0) await this.#writeVectors(document, document.generation);
    const [namespaceId, vectorSet] = [this.#namespaceId, this.#vectorSet];
    await this.#writeToAll(function* (tx) {
      yield* tx.run(
        "UPDATE scopes SET vector_set = ?, epoch = epoch + 1 WHERE namespace_id = ?",
        ...[vectorSet, namespaceId],
      );
    });
  }

  async #removeVectors({ id, scope, generation }: Document): Promise<void> {
    const target =
      this.#random.next() < 0.5 ? { documentId: id } : { documentId: id, generation: Math.max(1, generation) };
    for (const { indexes } of this.#engines) await indexes[0]!.removeVectors(this.#scope(TENANTS[scope]!), target);
  }

  async #hide(document: Document): Promise<void> {
    await this.#setGeneration(document, 0);
  }

  async #setGeneration(document: Document, generation: number): Promise<void> {
    const { id, chunks } = document;
    await this.#writeToAll(function* (tx) {
      const { seq, scopeId } = yield* find(tx, id);
      const columns = "generation = ?, last_generation = ?, total_chunks = ?";
      yield* tx.run(
        `UPDATE documents SET ${columns} WHERE seq = ?`,
        ...[generation, document.last, chunks.length, seq],
      );
      yield* tx.index.publish([{ scopeId, documentSeq: seq, generation }]);
    });
    document.generation = generation;
  }

  /** Removes the generations that are not published. */
  async #purge({ id, generation, last }: Document): Promise<void> {
    await this.#writeToAll(function* (tx) {
      const { seq } = yield* find(tx, id);
      for (let old = 1; old <= last; old++)
        if (old !== generation) while (yield* tx.index.removeChunks({ documentSeq: seq, generation: old, limit: 3 }));
    });
  }

  async #writeToAll(operation: (tx: Tx) => Operation<void>): Promise<void> {
    for (const engine of this.#engines) await engine.write(operation);
  }

  #scope(tenantId: string | null): Scope {
    return { organizationId: "org", namespaceId: this.#namespaceId, tenantId };
  }
}

function* find(tx: Tx, id: string): Operation<{ readonly seq: number; readonly scopeId: number }> {
  return (yield* tx.get<{ seq: number; scopeId: number }>(
    'SELECT seq, scope_id AS "scopeId" FROM documents WHERE id = ?',
    id,
  ))!;
}

function without(metadata: Metadata, keys: readonly string[]): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.includes(key)));
}

/** Returns whether the same chunks come in the same order with similarities that differ by less than 1e-6. */
function areNear(
  a: readonly { readonly id: string; readonly similarity: number }[],
  b: readonly { readonly id: string; readonly similarity: number }[],
): boolean {
  return (
    a.length === b.length &&
    a.every(({ id, similarity }, index) => id === b[index]!.id && Math.abs(similarity - b[index]!.similarity) < 1e-6)
  );
}
