import { requireOwner } from "../engine/principals.js";
import { publicChunk } from "../engine/public-chunk.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { readerOf } from "../storage/records/access.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, Chunk, KnowledgeDocument, ListPage, ReadOptions, Status, TextRange } from "../types.js";
import { documentChunksSchema, updateDocumentSchema } from "../validation/document-schema.js";
import { listDocumentsSchema } from "../validation/list-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { type DocumentText, type DocumentTextOptions, readDocumentText } from "./document-text.js";
import {
  createChunksDownloadUrl,
  createFileDownloadUrl,
  type Download,
  type DownloadOptions,
  type DownloadUrl,
  openFile,
} from "./downloads.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { readPublishedChunks, requirePublished } from "./published-chunks.js";
import { toDocument } from "./records.js";

export interface ListDocumentsOptions extends ListOptions, ReadOptions {
  readonly statuses?: readonly Status[] | undefined;
  readonly ingestJobId?: string | undefined;
  /**
   * Lists only documents of this tenant; `null` lists documents without a tenant, which a search without a tenant
   * finds. On a handle with a tenant, any other value lists nothing.
   * @default documents of all tenants that the handle can see
   */
  readonly tenantId?: string | null | undefined;
}

/** A change of a document. */
export interface UpdateDocumentInput {
  /** The principals that may see the document, see {@link IngestConfig.allow}; `null` for all. */
  readonly allow: readonly string[] | null;
}

export interface DocumentChunksOptions extends ReadOptions {
  /** Yields only the chunks that overlap this part of the document's text, in characters. @default all */
  readonly range?: TextRange | undefined;
}

/** The documents of one organization's namespaces. */
export class Documents<M> {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(namespace: string, documentId: string, options: ReadOptions = {}): Promise<KnowledgeDocument<M>> {
    const { engine, access } = await this.#resolve(namespace, options.signal, options.principals);
    const row = await engine.storage.documents.get({ ...readerOf(access), documentId });
    if (!row) throw notFound("document", documentId);
    return toDocument(row, access);
  }

  async list(namespace: string, options: ListDocumentsOptions = {}): Promise<ListPage<KnowledgeDocument<M>>> {
    const { signal, principals, ...input } = options;
    const { statuses, ingestJobId, tenantId: partition, ...request } = parseInput(listDocumentsSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal, principals);
    const { documents } = engine.storage;
    const query = { ...readerOf(access), statuses, ingestJobId, partition };
    return fetchPage(
      `documents of ${access.namespaceId}`,
      request,
      (range) => documents.list({ ...query, range }),
      (row) => toDocument<M>(row, access),
      (range) => documents.listSizes({ ...query, range }),
    );
  }

  /** Iterates over all documents, fetching one page at a time. */
  iterate(namespace: string, options: IterateOptions<ListDocumentsOptions> = {}): AsyncIterable<KnowledgeDocument<M>> {
    return iteratePages((cursor) => this.list(namespace, { ...options, cursor }));
  }

  /**
   * Changes who may see a document. Searches, lists and reads follow at once; nothing is parsed or embedded again.
   * @throws KnowledgeBaseError `invalid_input`, `not_found`
   */
  async update(
    namespace: string,
    documentId: string,
    input: UpdateDocumentInput,
    options: CallOptions = {},
  ): Promise<KnowledgeDocument<M>> {
    const { allow } = parseInput(updateDocumentSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    requireOwner(access);
    await this.get(namespace, documentId, options);
    await engine.storage.documents.setAccess({ documentId, allow });
    return this.get(namespace, documentId, options);
  }

  /**
   * Queues the deletion of a document. Searches stop finding it at once; it can be read until it has been deleted.
   * @throws KnowledgeBaseError `not_found`
   */
  async delete(namespace: string, documentId: string, options: CallOptions = {}): Promise<KnowledgeDocument<M>> {
    const { engine, access } = await this.#resolve(namespace);
    requireOwner(access);
    const document = await this.get(namespace, documentId, options);
    await engine.storage.documents.delete({
      documentId,
      organizationId: access.organizationId,
      now: engine.now(),
    });
    engine.events.emitWorkAdded();
    // A fast worker may have removed the document already.
    return this.get(namespace, documentId).catch(() => ({ ...document, status: "QUEUED_FOR_DELETE" as const }));
  }

  /**
   * Yields the published chunks of a document in order: the chunks that searches find, even while the document is
   * ingested again.
   * @throws KnowledgeBaseError `not_found`, `invalid_input`, `not_ready` before the document is first completed and
   * once it is deleted, `conflict` (retryable) if the document is replaced or deleted while its chunks are being read
   */
  async *chunks(namespace: string, documentId: string, options: DocumentChunksOptions = {}): AsyncGenerator<Chunk<M>> {
    const { signal, principals: _, ...input } = options;
    const { range } = parseInput(documentChunksSchema, input);
    const { engine, access, row } = await this.#find(namespace, documentId, options);
    requirePublished(row);
    const scope = { namespaceId: access.namespaceId, tenantId: row.tenantId };
    for await (const chunk of readPublishedChunks(engine, row, { signal }, range)) {
      yield publicChunk<M>(scope, { ...chunk, documentId: row.id });
    }
  }

  /**
   * Returns the published text of a document or of some of its pages, even while the document is ingested again. The
   * ranges of chunks and hits refer to the whole text.
   * @throws KnowledgeBaseError `not_found`, `invalid_input`, `not_ready` before the document is first completed and
   * once it is deleted, `conflict` (retryable) if the document is replaced or deleted while its text is being read
   */
  async text(namespace: string, documentId: string, options: DocumentTextOptions = {}): Promise<DocumentText> {
    const { engine, row } = await this.#find(namespace, documentId, options);
    return readDocumentText(engine, row, options);
  }

  /**
   * Opens the file of a `MANAGED_FILE` document.
   * @throws KnowledgeBaseError `not_found`, `unsupported` for a document with another source type
   */
  async file(namespace: string, documentId: string, options: DownloadOptions = {}): Promise<Download> {
    const { engine, row } = await this.#find(namespace, documentId, options);
    return openFile(engine, row, options);
  }

  /**
   * Returns a signed URL for a completed document's chunks as JSON. It is valid for 24 hours and needs no API key.
   * @throws KnowledgeBaseError `not_found`, `not_ready` unless the document is completed
   */
  async chunksDownloadUrl(namespace: string, documentId: string, options: ReadOptions = {}): Promise<DownloadUrl> {
    const { engine, access, row } = await this.#find(namespace, documentId, options);
    return createChunksDownloadUrl(engine, access, row);
  }

  /**
   * Returns a signed URL for a `MANAGED_FILE` document's file. It is valid for 24 hours and needs no API key.
   * @throws KnowledgeBaseError `not_found`, `unsupported` for a document with another source type
   */
  async fileDownloadUrl(namespace: string, documentId: string, options: ReadOptions = {}): Promise<DownloadUrl> {
    const { engine, access, row } = await this.#find(namespace, documentId, options);
    return createFileDownloadUrl(engine, access, row);
  }

  async #find(namespace: string, documentId: string, options: ReadOptions) {
    const { engine, access } = await this.#resolve(namespace, options.signal, options.principals);
    const row = await engine.storage.documents.getWithoutSource({ ...readerOf(access), documentId });
    if (!row) throw notFound("document", documentId);
    return { engine, access, row };
  }
}
