import type { ListDocumentsOptions } from "../resources/documents.js";
import type { ListIngestJobsOptions } from "../resources/ingest-jobs.js";
import type { IterateOptions } from "../resources/namespaces.js";
import type { SearchOptions } from "../search/search.js";
import type { SearchHit } from "../search/search-hit.js";
import type { IngestJob, KnowledgeDocument } from "../types.js";

/** A hit with metadata of any type. */
export type AnyHit = SearchHit<object>;

/** The part of a namespace that an evaluation uses. Every `NamespaceHandle` has it, whatever the metadata type. */
export interface EvaluatedNamespace {
  readonly ref: string;
  readonly tenantId: string | null;
  readonly documents: {
    iterate(
      options: IterateOptions<ListDocumentsOptions>,
    ): AsyncIterable<Pick<KnowledgeDocument, "id" | "name" | "ingestJobId" | "tenantId" | "status">>;
  };
  readonly ingestJobs: {
    iterate(options: IterateOptions<ListIngestJobsOptions>): AsyncIterable<Pick<IngestJob, "id" | "externalId">>;
  };
  search(query: string, options: SearchOptions): Promise<readonly SearchHit<object>[]>;
}
