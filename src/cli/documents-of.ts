import type { NamespaceHandle } from "../index.js";
import type { IngestJob, KnowledgeDocument } from "../types.js";

/** The documents of some jobs, in their order. */
export async function documentsOf(
  handle: NamespaceHandle,
  jobs: readonly Pick<IngestJob, "id">[],
): Promise<KnowledgeDocument[]> {
  const documents: KnowledgeDocument[] = [];
  for (const { id } of jobs) {
    for await (const document of handle.documents.iterate({ ingestJobId: id, order: "asc" })) documents.push(document);
  }
  return documents;
}
