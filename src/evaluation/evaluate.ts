import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, NamespaceHandle } from "../index.js";
import type { BatchItem, CallOptions, EmbeddingConfig } from "../types.js";
import { mean, ndcg, percentile, recall, reciprocalRank } from "./metrics.js";
import type { Collection, CollectionDocument } from "./read-collection.js";

export const EVALUATION_MODES = ["keyword", "semantic", "hybrid"] as const;

export type EvaluationMode = (typeof EVALUATION_MODES)[number];

/** How far an evaluation has come. */
export interface EvaluationProgress {
  readonly phase: "ingest" | EvaluationMode;
  /** Documents or queries. */
  readonly done: number;
  readonly total: number;
}

export interface EvaluateOptions extends CallOptions {
  readonly modes: readonly EvaluationMode[];
  /** The namespace's embedder. @default the engine's default */
  readonly embeddingConfig?: EmbeddingConfig | undefined;
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
}

/** The quality of one mode, each number a mean over all judged queries, 0 to 1. */
export interface ModeResult {
  readonly mode: EvaluationMode;
  readonly "nDCG@10": number;
  readonly "recall@10": number;
  readonly "recall@100": number;
  readonly "MRR@10": number;
  /** Of one search, as the caller waits for it. */
  readonly searchMs: { readonly p50: number; readonly p95: number; readonly max: number };
}

export interface EvaluationReport {
  readonly collection: string;
  readonly documents: number;
  readonly queries: number;
  readonly embeddingConfig: EmbeddingConfig;
  readonly ingestSeconds: number;
  readonly documentsPerSecond: number;
  readonly results: readonly ModeResult[];
}

type CorpusMetadata = { readonly corpusId: string };

const BATCH_ITEMS = 1000;
const DEPTH = 100;
const SLUG = "evaluation";

/**
 * Ingests a collection through the engine, in a namespace that it makes, and searches it with every query.
 * A collection's documents already are passages, so each stays one chunk (`chunkSize` 65536); should the embedding model's
 * token limit cut one, its best chunk stands for it.
 * @throws KnowledgeBaseError `internal` where a document could not be ingested: the numbers would not be comparable.
 */
export async function evaluate(
  kb: KnowledgeBase,
  collection: Collection,
  options: EvaluateOptions,
): Promise<EvaluationReport> {
  const namespace = await kb.namespaces.create(
    { name: collection.name, slug: SLUG, ...(options.embeddingConfig && { embeddingConfig: options.embeddingConfig }) },
    { signal: options.signal },
  );
  const handle = kb.namespace<CorpusMetadata>(namespace.id);
  const started = performance.now();
  await ingestCorpus(handle, collection.documents, options);
  const ingestSeconds = (performance.now() - started) / 1000;
  const results: ModeResult[] = [];
  for (const mode of options.modes) results.push(await measure(handle, collection, mode, options));
  return {
    collection: collection.name,
    documents: collection.documents.length,
    queries: collection.queries.length,
    embeddingConfig: namespace.embeddingConfig,
    ingestSeconds,
    documentsPerSecond: collection.documents.length / ingestSeconds,
    results,
  };
}

async function ingestCorpus(
  handle: NamespaceHandle<CorpusMetadata>,
  documents: readonly CollectionDocument[],
  { signal, onProgress }: EvaluateOptions,
): Promise<void> {
  const items = documents.map(itemOf).filter((item) => item.text.trim() !== "");
  for (let from = 0; from < items.length; from += BATCH_ITEMS) {
    const batch = items.slice(from, from + BATCH_ITEMS);
    const run = await handle.ingest({ type: "BATCH", items: batch }, { chunkSize: 65_536, signal });
    for await (const event of run) {
      onProgress?.({ phase: "ingest", done: from + event.counts.documents.completed, total: items.length });
    }
    const job = await run.done({ signal });
    if (job.status !== "COMPLETED")
      throw new KnowledgeBaseError("internal", `the collection was not ingested whole: ${job.error ?? job.status}`);
  }
}

function itemOf(document: CollectionDocument): BatchItem<CorpusMetadata> & { readonly text: string } {
  const text = document.title === "" ? document.text : `${document.title}\n\n${document.text}`;
  return { type: "TEXT", text, config: { metadata: { corpusId: document.id } } };
}

async function measure(
  handle: NamespaceHandle<CorpusMetadata>,
  { queries, judgements }: Collection,
  mode: EvaluationMode,
  { signal, onProgress }: EvaluateOptions,
): Promise<ModeResult> {
  const times: number[] = [];
  const scores: { ndcg: number; recall10: number; recall100: number; reciprocalRank: number }[] = [];
  for (const [index, query] of queries.entries()) {
    const started = performance.now();
    const hits = await handle.search(query.text, { mode, topK: DEPTH, rerank: false, signal });
    times.push(performance.now() - started);
    // A set keeps the first of equal ids: the rank of a document is that of its best chunk.
    const ranking = [...new Set(hits.map((hit) => String(hit.metadata?.corpusId)))];
    const judged = judgements.get(query.id) ?? new Map<string, number>();
    scores.push({
      ndcg: ndcg(ranking, judged, 10),
      recall10: recall(ranking, judged, 10),
      recall100: recall(ranking, judged, 100),
      reciprocalRank: reciprocalRank(ranking, judged, 10),
    });
    onProgress?.({ phase: mode, done: index + 1, total: queries.length });
  }
  return {
    mode,
    "nDCG@10": mean(scores.map((score) => score.ndcg)),
    "recall@10": mean(scores.map((score) => score.recall10)),
    "recall@100": mean(scores.map((score) => score.recall100)),
    "MRR@10": mean(scores.map((score) => score.reciprocalRank)),
    searchMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: Math.max(0, ...times) },
  };
}
