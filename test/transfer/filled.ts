import { KnowledgeBase } from "#dist/index.js";
import type { KnowledgeBaseOptions } from "../../src/options.js";
import type { SqlStatement } from "../support/database.js";
import { keyedEmbedder } from "../support/secret-provider.js";

const LEXICAL = { provider: "MANAGED_LEXICAL" };
export const PROVIDER_KEY = "sk-0123456789abcdef-wxyz";
const KEYED = { provider: "KEYED", endpoint: "https://keyed.invalid/", apiKey: PROVIDER_KEY };

const WORDS = "lamp ferry tide harbour fog keeper oil glass storm bell rope mast sail anchor reef gull".split(" ");

/** Text with words that repeat, and others that only this text has. */
export function textOf(seed: number, words: number): string {
  const word = (index: number) => (index % 7 === 0 ? `mark${seed}x${index}` : WORDS[(seed * 31 + index * index) % 16]!);
  return Array.from({ length: words }, (_, index) => `${word(index)}${index % 12 === 11 ? ".\n\n" : ""}`).join(" ");
}

export function open(options: KnowledgeBaseOptions): KnowledgeBase {
  const retention = { unansweredQuestionDays: 30, sampledQueryDays: 30 };
  return new KnowledgeBase({ embedders: [keyedEmbedder], worker: false, retention, ...options });
}

export interface Filled {
  /** An API key of the HTTP interface. */
  readonly apiKey: string;
  readonly queuedJobId: string;
  readonly uploadKey: string;
}

/** Fills a knowledge base with records of all kinds, a job that is still queued, and `documents` documents. */
export async function fill(kb: KnowledgeBase, documents: number): Promise<Filled> {
  await kb.organizations.create({ name: "Other", plan: "free" });
  await kb.namespaces.create({ name: "Log", slug: "log", embeddingConfig: LEXICAL });
  await kb.namespaces.create({ name: "Keyed", slug: "keyed", embeddingConfig: KEYED });
  const log = kb.namespace("log");
  const items = Array.from({ length: documents }, (_, index) => {
    const metadata = { part: index, area: index % 2 === 0 ? "cove\u0000" : "shore", "\u0001odd": index % 3 === 0 };
    return { type: "TEXT" as const, text: textOf(index, 150), config: { metadata, chunkSize: 200 } };
  });
  const batch = await log.ingest({ type: "BATCH", items }, { name: "Log \u{1F4A1}" });
  await log.tenant("acme").ingest({ type: "TEXT", text: `${textOf(900, 40)} a\u0000b` });
  const file = {
    fileName: "keeper.md",
    contentType: "text/markdown",
    body: Buffer.from(`# Keeper\n\n${textOf(901, 60)}`),
  };
  const upload = await log.uploads.put(file);
  await log.ingest({ type: "MANAGED_FILE", key: upload.key, fileName: "keeper.md" });
  await kb.drain();
  await log.documents.delete((await log.documents.list()).items.at(-1)!.id);
  await log.ingestJobs.reingest(batch.id);
  await kb.drain();
  await log.reembedding.start({ embeddingConfig: { provider: "MANAGED_STATIC" } }, { cutOver: "automatic" });
  await kb.drain();
  await log.hosting.enable();
  await log.feedback.add({ question: "When is the lamp lit?", answer: "At dusk.", rating: "up" });
  await log.goldenQuestions.add({ question: "When is the lamp lit?", answers: [{ contains: "At dusk" }] });
  await log.clicks.add({ question: "lamp", chunkId: "doc_1#0" });
  await log.evaluations.run({ settings: [{ name: "words", mode: "keyword" }] });
  await log.goldenGuard.set();
  await log.search("Where is the cat\u0000?", { mode: "keyword", filter: { area: "nowhere" } });
  const { key } = await kb.apiKeys.create({ name: "reader", scope: "read" });
  const webhook = await kb.webhooks.create({ url: "https://example.com/hook" });
  await kb.webhooks.ping(webhook.id);
  await kb.webhooks.rotateSecret(webhook.id);
  await kb.webhooks.update(webhook.id, { enabled: false });
  const gone = await log.ingest({ type: "TEXT", text: "Removed again." });
  await kb.drain();
  await log.ingestJobs.delete(gone.id);
  await kb.drain();
  const queued = await log.ingest({ type: "TEXT", text: "The bell is rung in fog." });
  return { apiKey: key, queuedJobId: queued.id, uploadKey: upload.key };
}

const FIRST_JOB = "(SELECT id FROM ingest_jobs ORDER BY seq LIMIT 1)";
const FIRST_DOCUMENT = "(SELECT min(seq) FROM documents)";
const FIRST_NAMESPACE = "(SELECT id FROM namespaces ORDER BY seq LIMIT 1)";
const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)";

/** Rows of tables that only crawls, syncs, hosted embedders and hosted stores fill; some more than a batch takes. */
export const RARE_ROWS: readonly SqlStatement[] = [
  `${NUMBERS} INSERT INTO embedding_cache (namespace_id, key, vector) SELECT ${FIRST_NAMESPACE}, randomblob(32), randomblob(64) FROM n`,
  `${NUMBERS} INSERT INTO crawl_pages (ingest_job_id, key, path, url, round, place, depth, redirects, state, reason, links)
   SELECT ${FIRST_JOB}, 'k' || i, '/p', 'u', 1, i, 1, 0, iif(i % 3 = 0, 'failed', 'left_out'), 'r' || (i % 4), '["a"]' FROM n`,
  `${NUMBERS} INSERT INTO unwanted_documents SELECT ${FIRST_JOB}, 'Ä' || i || char(0) FROM n`,
  `INSERT INTO fetched_sources VALUES (${FIRST_DOCUMENT}, 'u', 't', NULL, NULL, NULL, 'h', 1, randomblob(9000000))`,
  `INSERT INTO origins VALUES (${FIRST_DOCUMENT}, '"e"', NULL, 'h', 'm', 2)`,
  `INSERT INTO synced_files VALUES (${FIRST_NAMESPACE}, '', '/r', 'a/b', ${FIRST_JOB}, 0, NULL, 's', '{}', '7')`,
  `UPDATE namespaces SET vector_store_config = '{"provider":"MANAGED_PGVECTOR"}' WHERE seq = (SELECT max(seq) FROM namespaces)`,
  `INSERT INTO unpublished_vectors VALUES ('doc_gone', 2, ${FIRST_NAMESPACE}, NULL, 5, 2, 3)`,
  "INSERT INTO store_vectors SELECT seq, scope_id FROM chunks ORDER BY seq LIMIT 2",
  "INSERT INTO odd_store_vectors SELECT seq, scope_id FROM chunks ORDER BY seq DESC LIMIT 2",
].map((sql) => ({ sql }));

/** What a caller finds: hits with scores, by words and by meaning, with and without filter and tenant. */
export async function answersOf(kb: KnowledgeBase): Promise<unknown> {
  const log = kb.namespace("log");
  const answers: unknown[] = [];
  for (const query of ["lamp in fog", "mark3x7 harbour", "bell", "keeper of the reef"]) {
    for (const mode of ["keyword", "semantic", "hybrid"] as const) {
      for (const [namespace, filter] of [[log], [log, { area: "cove\u0000" }], [log.tenant("acme")]] as const) {
        const hits = await namespace.search(query, { mode, topK: 8, ...(filter && { filter }) });
        answers.push(hits.map(({ id, text, score, metadata }) => [id, text, score.toFixed(6), metadata]));
      }
    }
  }
  return answers;
}
