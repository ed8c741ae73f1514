import type { NamespaceHandle } from "../index.js";
import type { IngestJob, KnowledgeDocument, Namespace } from "../types.js";
import type { Outcome } from "./command.js";
import { documentsOf } from "./documents-of.js";

/** What some jobs have made of their sources. */
export async function ingestOutcome(
  handle: NamespaceHandle,
  namespace: Namespace,
  jobs: readonly IngestJob[],
  /** When it began, by `performance.now()`. */
  started: number,
): Promise<Outcome & { readonly json: object }> {
  const documents = await documentsOf(handle, jobs);
  const seconds = (performance.now() - started) / 1000;
  const failed = documents.filter((document) => document.status === "FAILED");
  const completed = documents.length - failed.length;
  const chunks = documents.reduce((sum, document) => sum + document.totalChunks, 0);
  const { provider, model } = namespace.embeddingConfig;
  const lines = [
    ...failed.map((document) => `failed   ${labelOf(document)}: ${document.error}`),
    // A job may fail before it has documents.
    ...(failed.length > 0
      ? []
      : jobs.flatMap(({ name, error }) => (error === null ? [] : [`failed   ${name}: ${error}`]))),
    ...documents.flatMap((document) => document.warnings.map((warning) => `warning  ${labelOf(document)}: ${warning}`)),
    `${completed} ${completed === 1 ? "document" : "documents"}, ${chunks} chunks in ${seconds.toFixed(1)} s`,
    `namespace ${namespace.slug} (${[provider, model].filter(Boolean).join(", ")})`,
  ];
  return {
    json: {
      namespace: { id: namespace.id, slug: namespace.slug, embeddingConfig: namespace.embeddingConfig },
      jobs: jobs.map(({ id, status, error, counts }) => ({ id, status, error, counts })),
      documents: documents.map(({ id, name, status, error, warnings, totalPages, totalChunks }) => {
        return { id, name, status, error, warnings, totalPages, totalChunks };
      }),
      seconds,
    },
    text: lines.join("\n"),
    exitCode: jobs.every((job) => job.status === "COMPLETED") ? 0 : 1,
  };
}

/** A page is known by its address, and so is a file that could not be fetched. */
function labelOf({ id, name, source }: KnowledgeDocument): string {
  if (source.type === "CRAWLED_PAGE") return source.url;
  return name ?? (source.type === "FILE" ? source.fileUrl : id);
}
