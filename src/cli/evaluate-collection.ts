import { KnowledgeBaseError } from "../errors.js";
import type { EvaluateOptions } from "../evaluate/evaluate.js";
import { type Candidate, type EvaluationReport, measure } from "../evaluate/measure.js";
import type { Collection, CollectionDocument } from "../evaluate/read-collection.js";
import { checkSettings, DEFAULT_SETTINGS } from "../evaluate/settings.js";
import type { KnowledgeBase, NamespaceHandle } from "../index.js";
import type { BatchItem, EmbeddingConfig } from "../types.js";

export interface EvaluateCollectionOptions extends EvaluateOptions {
  /** The embedder of settings that have no `embedding`. @default the engine's default */
  readonly embeddingConfig?: EmbeddingConfig | undefined;
}

/** One ingest of the collection. */
export interface CollectionIngest {
  readonly embeddingConfig: EmbeddingConfig;
  readonly seconds: number;
  readonly documentsPerSecond: number;
}

export interface CollectionReport extends EvaluationReport {
  readonly collection: string;
  readonly documents: number;
  /** One per embedder. */
  readonly ingests: readonly CollectionIngest[];
}

type CorpusMetadata = { readonly corpusId: string };

const MAX_BATCH_ITEMS = 1000;

/**
 * Ingests a collection into a new namespace for each embedder, and searches it for every query. The documents of a
 * collection are already passages, so each stays one chunk (`chunkSize` 65536). If the embedding model's token limit
 * splits a document, its best chunk counts.
 * @throws KnowledgeBaseError `internal` if a document could not be ingested: the results would not be comparable
 */
export async function evaluateCollection(
  kb: KnowledgeBase,
  collection: Collection,
  { settings = DEFAULT_SETTINGS, embeddingConfig, ...options }: EvaluateCollectionOptions,
): Promise<CollectionReport> {
  const judges = collection.queries.map(({ id }) => ({
    judgements: collection.judgements.get(id) ?? new Map<string, number>(),
    keysOf: ({ metadata }: { readonly metadata?: object }) => [(metadata as CorpusMetadata).corpusId],
  }));
  const ingested = new Map<string, { handle: NamespaceHandle<CorpusMetadata>; ingest: CollectionIngest }>();
  const candidates: Candidate[] = [];
  for (const setting of checkSettings(settings)) {
    const { name: settingName, namespace, embedding = embeddingConfig, ...search } = setting;
    if (namespace !== undefined) {
      const message = `the setting ${settingName} names the namespace ${namespace}: for a collection, set embedding instead`;
      throw new KnowledgeBaseError("invalid_input", message);
    }
    const key = JSON.stringify(embedding ?? null);
    const result = ingested.get(key) ?? (await ingestCollection(kb, collection, embedding, ingested.size, options));
    ingested.set(key, result);
    const { handle } = result;
    candidates.push({ setting, judges, search: (query, call) => handle.search(query, { ...search, ...call }) });
  }
  return {
    collection: collection.name,
    documents: collection.documents.length,
    ingests: [...ingested.values()].map(({ ingest }) => ingest),
    ...(await measure(candidates, collection.queries, options)),
  };
}

async function ingestCollection(
  kb: KnowledgeBase,
  { name, documents }: Collection,
  embeddingConfig: EmbeddingConfig | undefined,
  index: number,
  options: EvaluateOptions,
) {
  const namespace = await kb.namespaces.create(
    { name: name.slice(0, 64), slug: `evaluation-${index}`, ...(embeddingConfig && { embeddingConfig }) },
    { signal: options.signal },
  );
  const handle = kb.namespace<CorpusMetadata>(namespace.id);
  const startTime = performance.now();
  await ingestDocuments(handle, documents, options);
  const seconds = (performance.now() - startTime) / 1000;
  const ingest = {
    embeddingConfig: namespace.embeddingConfig,
    seconds,
    documentsPerSecond: documents.length / seconds,
  };
  return { handle, ingest };
}

async function ingestDocuments(
  handle: NamespaceHandle<CorpusMetadata>,
  documents: readonly CollectionDocument[],
  { signal, onProgress }: EvaluateOptions,
): Promise<void> {
  const items = documents.map(toBatchItem).filter((item) => item.text.trim() !== "");
  for (let from = 0; from < items.length; from += MAX_BATCH_ITEMS) {
    const batch = items.slice(from, from + MAX_BATCH_ITEMS);
    const run = await handle.ingest({ type: "BATCH", items: batch }, { chunkSize: 65_536, signal });
    for await (const event of run) {
      onProgress?.({ phase: "ingest", done: from + event.counts.documents.completed, total: items.length });
    }
    const job = await run.done({ signal });
    if (job.status !== "COMPLETED")
      throw new KnowledgeBaseError("internal", `the collection could not be ingested: ${job.error ?? job.status}`);
  }
}

function toBatchItem(document: CollectionDocument): BatchItem<CorpusMetadata> & { readonly text: string } {
  const text = document.title === "" ? document.text : `${document.title}\n\n${document.text}`;
  return { type: "TEXT", text, config: { metadata: { corpusId: document.id } } };
}
