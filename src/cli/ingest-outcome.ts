import type { NamespaceHandle } from "../index.js";
import type { IngestJob, KnowledgeDocument, Namespace } from "../types.js";
import { collect } from "../util/collect.js";
import { formatCount } from "./columns.js";
import type { Outcome } from "./command.js";

/** Describes ended jobs: their documents, failures and warnings. */
export async function buildIngestOutcome(
  handle: NamespaceHandle,
  namespace: Namespace,
  jobs: readonly IngestJob[],
  /** The start time, from `performance.now()`. */
  startTime: number,
): Promise<Outcome & { readonly json: object }> {
  const documents = await listDocuments(handle, jobs);
  const seconds = (performance.now() - startTime) / 1000;
  const failedDocuments = documents.filter((document) => document.status === "FAILED");
  const chunkCount = documents.reduce((sum, document) => sum + document.totalChunks, 0);
  const completed = formatCount(documents.length - failedDocuments.length, "document");
  // A job may fail before it has documents.
  const failedJobs = failedDocuments.length > 0 ? [] : jobs.filter(({ error }) => error !== null);
  const lines = [
    ...failedDocuments.map((document) => `failed   ${documentTitle(document)}: ${document.error}`),
    ...failedJobs.map(({ name, error }) => `failed   ${name}: ${error}`),
    ...documents.flatMap((document) => document.warnings.map((text) => `warning  ${documentTitle(document)}: ${text}`)),
    `${completed}, ${formatCount(chunkCount, "chunk")} in ${seconds.toFixed(1)} s`,
    describeNamespace(namespace),
  ];
  return {
    json: {
      ...buildCommonJson(namespace, jobs),
      documents: documents.map(({ id, name, status, error, warnings, totalPages, totalChunks }) => {
        return { id, name, status, error, warnings, totalPages, totalChunks };
      }),
      seconds,
    },
    text: lines.join("\n"),
    exitCode: jobs.every((job) => job.status === "COMPLETED") ? 0 : 1,
  };
}

/** Builds the JSON fields shared by all commands that add documents. */
export function buildCommonJson({ id, slug, embeddingConfig }: Namespace, jobs: readonly IngestJob[]) {
  return {
    namespace: { id, slug, embeddingConfig },
    jobs: jobs.map(({ id, status, error, counts }) => ({ id, status, error, counts })),
  };
}

export function describeNamespace({ slug, embeddingConfig: { provider, model } }: Namespace): string {
  return `namespace ${slug} (${[provider, model].filter(Boolean).join(", ")})`;
}

/** Lists the documents of jobs, in the order of the jobs. */
export async function listDocuments(
  handle: NamespaceHandle,
  jobs: readonly Pick<IngestJob, "id">[],
): Promise<KnowledgeDocument[]> {
  const documents: KnowledgeDocument[] = [];
  for (const { id } of jobs) {
    documents.push(...(await collect(handle.documents.iterate({ ingestJobId: id, order: "asc" }))));
  }
  return documents;
}

/** Returns the URL of a crawled page. For other documents, returns the name, else the file's URL, else the id. */
export function documentTitle({ id, name, source }: KnowledgeDocument): string {
  if (source.type === "CRAWLED_PAGE") return source.url;
  return name ?? (source.type === "FILE" ? source.fileUrl : id);
}
