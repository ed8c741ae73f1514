import { type Access, documentRecordsOf, documentsOf, notFound } from "../database/access.js";
import { fetchPage, iteratePages } from "../database/pagination.js";
import type { Engine } from "../engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { shownChunkId } from "../ids.js";
import { shownMetadata } from "../passage-metadata.js";
import { listDocumentsSchema, parseInput } from "../schemas.js";
import type { CallOptions, Chunk, KnowledgeDocument, Page, Status } from "../types.js";
import type { ListOptions } from "./namespaces.js";
import { toDocument } from "./records.js";

export interface ListDocuments extends ListOptions {
  readonly statuses?: readonly Status[] | undefined;
  readonly ingestJobId?: string | undefined;
}

/** Chunks read in one go: a few hundred kilobytes of text. */
const CHUNKS_PER_READ = 200;

/** Resolves the namespace that a call names, anew for each call. */
export type Enter = (ref: string) => Promise<{ engine: Engine; access: Access }>;

/** The documents of one organization's namespaces. */
export class Documents<M> {
  readonly #enter: Enter;

  constructor(enter: Enter) {
    this.#enter = enter;
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(namespace: string, documentId: string, options: CallOptions = {}): Promise<KnowledgeDocument<M>> {
    const { engine, access } = await this.#enter(namespace);
    options.signal?.throwIfAborted();
    const row = await documentRecordsOf(engine.database.query, access).where("id", "=", documentId).executeTakeFirst();
    if (!row) throw notFound("document", documentId);
    return toDocument(row);
  }

  async list(namespace: string, options: ListDocuments = {}): Promise<Page<KnowledgeDocument<M>>> {
    const { signal, ...input } = options;
    const { statuses, ingestJobId, ...request } = parseInput(listDocumentsSchema, input);
    const { engine, access } = await this.#enter(namespace);
    signal?.throwIfAborted();
    return fetchPage(
      `documents of ${access.namespaceId}`,
      request,
      ({ after, direction, limit }) =>
        documentRecordsOf(engine.database.query, access)
          .$if(statuses !== undefined, (query) => query.where("status", "in", statuses!))
          .$if(ingestJobId !== undefined, (query) => query.where("ingest_job_id", "=", ingestJobId!))
          .$if(after !== null, (query) => query.where("seq", direction === "asc" ? ">" : "<", after))
          .orderBy("seq", direction)
          .limit(limit)
          .execute(),
      (row) => toDocument<M>(row),
    );
  }

  /** Every document, page by page. */
  iterate(
    namespace: string,
    options: Omit<ListDocuments, "cursor" | "cursorDirection"> = {},
  ): AsyncIterable<KnowledgeDocument<M>> {
    return iteratePages((cursor) => this.list(namespace, { ...options, cursor }));
  }

  /**
   * Queues a document's removal. No search finds it from here on; it can be read until it is gone.
   * @throws KnowledgeBaseError `not_found`
   */
  async delete(namespace: string, documentId: string, options: CallOptions = {}): Promise<KnowledgeDocument<M>> {
    const { engine, access } = await this.#enter(namespace);
    const document = await this.get(namespace, documentId, options);
    await engine.database.change("deleteDocument", {
      documentId,
      organizationId: access.organizationId,
      now: engine.now(),
    });
    engine.events.workAdded();
    // A fast worker may have removed it already.
    return this.get(namespace, documentId).catch(() => ({ ...document, status: "QUEUED_FOR_DELETE" as const }));
  }

  /**
   * The published chunks of a completed document, in order.
   * @throws KnowledgeBaseError `not_found`, `not_ready` before the document is completed, or `conflict` (retryable) where it is
   * ingested again or deleted while its chunks are being read
   */
  async *chunks(namespace: string, documentId: string, options: CallOptions = {}): AsyncGenerator<Chunk<M>> {
    const { engine, access } = await this.#enter(namespace);
    const row = await documentsOf(engine.database.query, access)
      .select(["seq", "id", "tenant_id", "generation", "status", "total_chunks"])
      .where("id", "=", documentId)
      .executeTakeFirst();
    if (!row) throw notFound("document", documentId);
    if (row.status !== "COMPLETED") {
      throw new KnowledgeBaseError(
        "not_ready",
        `The document ${documentId} is ${row.status}: chunks are there once it is COMPLETED.`,
      );
    }
    let after = -1;
    while (true) {
      options.signal?.throwIfAborted();
      const chunks = await engine.database.query
        .selectFrom("chunks")
        .selectAll()
        .where("document_seq", "=", row.seq)
        .where("generation", "=", row.generation)
        .where("ordinal", ">", after)
        .orderBy("ordinal")
        .limit(CHUNKS_PER_READ)
        .execute();
      for (const chunk of chunks) {
        yield {
          id: shownChunkId(row.id, chunk.ordinal),
          documentId: row.id,
          text: chunk.text,
          metadata: shownMetadata<M>(
            { namespaceId: access.namespaceId, tenantId: row.tenant_id },
            { ...chunk, documentId: row.id, headings: JSON.parse(chunk.headings) },
          ),
        };
      }
      const last = chunks.at(-1);
      if (last) after = last.ordinal;
      if (after + 1 >= row.total_chunks) return;
      if (chunks.length < CHUNKS_PER_READ) {
        const message = `The document ${documentId} was changed while its chunks were being read: read them again.`;
        throw new KnowledgeBaseError("conflict", message, { retryable: true });
      }
    }
  }
}
