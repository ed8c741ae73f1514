import type { BackupOptions } from "./backup/backup.js";
import type { BackupManifest } from "./backup/manifest.js";
import type { BundleContents, ExportOptions } from "./bundle/export.js";
import type { ImportedNamespace, ImportOptions } from "./bundle/import.js";
import type { Parts } from "./create-engine.js";
import { DEFAULT_ORGANIZATION } from "./domain/default-organization.js";
import type { Engine } from "./engine/engine.js";
import { KnowledgeBaseError } from "./errors.js";
import { type AnsweredRequest, EventBus, type EventOf, type EventType } from "./events/event-bus.js";
import type { IngestRun } from "./events/ingest-run.js";
import type { PendingRun } from "./events/pending-run.js";
import type { Bytes } from "./interfaces/blob-store.js";
import type { NamespaceHandle } from "./namespace-handle.js";
import {
  type KnowledgeBaseOptions,
  type Migration,
  type ResolvedOptions,
  resolveMigration,
  resolveOptions,
} from "./options.js";
import { OrganizationHandle } from "./organization-handle.js";
import { type ApiKey, findApiKeys, verifyApiKey } from "./resources/api-keys.js";
import type { CheckOptions } from "./resources/check/check.js";
import type { CheckEvent } from "./resources/check/check-events.js";
import type { CompactOptions } from "./resources/compact.js";
import { type Download, type DownloadOptions, openDownload, type SignedDownload } from "./resources/downloads.js";
import { findHostedPage } from "./resources/hosting.js";
import type { Hosting } from "./resources/hosting-settings.js";
import type { IngestInput, IngestOptions } from "./resources/ingest-input.js";
import { Organizations } from "./resources/organizations.js";
import { createPageCode, type PageCode, verifyPageCode } from "./resources/page-code.js";
import {
  createPageSession,
  type PageSession,
  type PageSessionScope,
  pageVisitorId,
  verifyPageSession,
} from "./resources/page-session.js";
import { type Readiness, readiness } from "./resources/readiness.js";
import { type KeyRotation, rotateKeys } from "./resources/rotate-keys.js";
import { receiveUpload, type SignedUpload } from "./resources/uploads.js";
import type { DocumentExplanation } from "./search/document-explanation.js";
import type { ExplainOptions } from "./search/explain.js";
import type { Facet, FacetOptions } from "./search/facets.js";
import type { SearchOptions } from "./search/search.js";
import type { SearchHit } from "./search/search-hit.js";
import type { CallCount, CountedCall } from "./storage/call-counter.js";
import type { CompactSummary } from "./storage/compaction.js";
import { readOnlyError } from "./storage/read-only-error.js";
import type { SyncedFolder, SyncOptions } from "./sync/sync-plan.js";
import type { SyncRun } from "./sync/sync-run.js";
import type { WatchOptions } from "./sync/watch-folder.js";
import type { MigrateOptions, MigrationSummary } from "./transfer/transfer.js";
import type { CallOptions, Metadata, Namespace } from "./types.js";
import { parseInput } from "./validation/parse-input.js";
import { z } from "./vendor/zod.js";

/** A namespace's hosted page. */
export interface HostedPage {
  readonly settings: Hosting;
  readonly namespace: NamespaceHandle;
  /** The id of the organization that owns the namespace. */
  readonly organizationId: string;
}

const backupOptionsSchema = z.strictObject({
  bytesPerSecond: z.int().min(65_536).optional(),
  includeSecretKey: z.boolean().optional(),
  verify: z.boolean().optional(),
  signal: z.custom<AbortSignal>().optional(),
});

/**
 * A knowledge base: namespaces of documents to ingest and search, stored in one directory or in a PostgreSQL database,
 * and run in this process.
 *
 * The constructor only checks its options; the first call that needs the directory opens it. Several processes may open
 * the same directory or database. Call `close` at the end; queued jobs continue when the directory is opened again.
 *
 * @example
 * const kb = new KnowledgeBase({ directory: "./kb" });
 * await kb.namespaces.ensure({ name: "Handbook", slug: "handbook" });
 * const handbook = kb.namespace("handbook");
 * await handbook.ingest({ type: "TEXT", text: "Parental leave is 16 weeks." }).done();
 * const hits = await handbook.search("parental leave");
 * await kb.close();
 */
export class KnowledgeBase implements AsyncDisposable {
  readonly organizations: Organizations;
  readonly #options: ResolvedOptions;
  readonly #events = new EventBus();
  readonly #defaultOrganization: OrganizationHandle;
  #opening: Promise<Parts> | null = null;
  #closing: Promise<void> | null = null;

  /** @throws KnowledgeBaseError `invalid_input` that names the option, its value and the rule */
  constructor(options: KnowledgeBaseOptions = {}) {
    this.#options = resolveOptions(options);
    this.organizations = new Organizations(this.#engine);
    this.#defaultOrganization = this.organization(DEFAULT_ORGANIZATION);
  }

  /** The option `publicUrl` without a trailing slash; `null` if it wasn't set. */
  get publicUrl(): string | null {
    return this.#options.publicUrl ?? null;
  }

  /** Whether the option `languageModel` is set, so that a language model answers questions by default. */
  get hasLanguageModel(): boolean {
    return this.#options.languageModel !== undefined;
  }

  get namespaces() {
    return this.#defaultOrganization.namespaces;
  }
  get ingestJobs() {
    return this.#defaultOrganization.ingestJobs;
  }
  get documents() {
    return this.#defaultOrganization.documents;
  }
  get uploads() {
    return this.#defaultOrganization.uploads;
  }
  get hosting() {
    return this.#defaultOrganization.hosting;
  }
  get feedback() {
    return this.#defaultOrganization.feedback;
  }
  get clicks() {
    return this.#defaultOrganization.clicks;
  }
  get goldenQuestions() {
    return this.#defaultOrganization.goldenQuestions;
  }
  get apiKeys() {
    return this.#defaultOrganization.apiKeys;
  }
  get webhooks() {
    return this.#defaultOrganization.webhooks;
  }

  /** Queues content as one job, see {@link NamespaceHandle.ingest}. */
  ingest<M = Metadata>(namespace: string, input: IngestInput<M>, options?: IngestOptions<M>): PendingRun<IngestRun<M>> {
    return this.namespace<M>(namespace).ingest(input, options);
  }

  /** Syncs a namespace with a folder, see {@link NamespaceHandle.sync}. */
  sync<M = Metadata>(namespace: string, folder: SyncedFolder, options?: SyncOptions<M>): PendingRun<SyncRun<M>> {
    return this.namespace<M>(namespace).sync(folder, options);
  }

  /** Keeps a namespace in sync with a folder, see {@link NamespaceHandle.watch}. */
  watch<M = Metadata>(
    namespace: string,
    folder: SyncedFolder,
    options?: SyncOptions<M> & WatchOptions,
  ): AsyncGenerator<SyncRun<M>, never> {
    return this.namespace<M>(namespace).watch(folder, options);
  }

  /** Writes a namespace to one file, see {@link NamespaceHandle.export}. */
  export(namespace: string, file: string, options?: ExportOptions): Promise<BundleContents> {
    return this.namespace(namespace).export(file, options);
  }

  /** Imports a bundle as a new namespace, see {@link OrganizationHandle.import}. */
  import(file: string, options?: ImportOptions): Promise<ImportedNamespace> {
    return this.#defaultOrganization.import(file, options);
  }

  /** Finds the passages that answer a query, see {@link NamespaceHandle.search}. */
  search<M = Metadata>(namespace: string, query: string, options?: SearchOptions<M>): Promise<readonly SearchHit<M>[]> {
    return this.namespace<M>(namespace).search(query, options);
  }

  /** Counts documents by the values of metadata keys, see {@link NamespaceHandle.facets}. */
  facets<M = Metadata>(
    namespace: string,
    keys: readonly string[],
    options?: FacetOptions<M>,
  ): Promise<readonly Facet[]> {
    return this.namespace<M>(namespace).facets(keys, options);
  }

  /** Explains the rank of one document in a search, see {@link NamespaceHandle.explain}. */
  explain<M = Metadata>(namespace: string, query: string, options: ExplainOptions<M>): Promise<DocumentExplanation> {
    return this.namespace<M>(namespace).explain(query, options);
  }

  /** Returns a handle on a namespace, by id, slug or record. Nothing is looked up until a method of it is called. */
  namespace<M = Metadata>(ref: string | Namespace): NamespaceHandle<M> {
    return this.#defaultOrganization.namespace<M>(ref);
  }

  /**
   * Returns a handle on one organization, with the same operations. Organizations can't access each other's namespaces
   * and keys.
   */
  organization(id: string): OrganizationHandle {
    return new OrganizationHandle(this.#engine, id);
  }

  /** Calls a listener for every event of a type until the returned object is disposed. */
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => void): Disposable {
    const subscription = this.#events.on(type, listener);
    this.#opening?.then(({ feed }) => feed.follow()).catch(() => {});
    return subscription;
  }

  /** Opens the directory, migrates its database and starts the worker. Other calls do this when they need it. */
  async start(options: CallOptions = {}): Promise<this> {
    options.signal?.throwIfAborted();
    await this.#open();
    return this;
  }

  /**
   * Runs queued jobs until none is left. For tests, scripts and serverless hosts.
   * @throws KnowledgeBaseError `forbidden` with `readOnly`
   */
  async drain(options: CallOptions = {}): Promise<void> {
    const { worker } = await this.#open();
    if (worker === null) throw readOnlyError("drain()");
    await worker.drain(options);
  }

  /**
   * Compares everything that is stored with what was written, and derived data with its source: the database file,
   * documents, chunks, vectors, texts, indexes, counts and files. Yields what is wrong as it is found, the progress, and a
   * summary at the end. Searches and ingest may go on.
   *
   * @example
   * for await (const event of kb.check()) if (event.type === "finding") console.log(event.finding.message);
   *
   * @throws KnowledgeBaseError `forbidden` for `repair` with `readOnly`
   */
  async *check(options: CheckOptions = {}): AsyncGenerator<CheckEvent> {
    if (options.repair && this.#options.readOnly) throw readOnlyError("check() with repair");
    const [engine, { check }] = await Promise.all([this.#engine(options.signal), import("./resources/check/check.js")]);
    yield* check(engine, options);
  }

  /**
   * Gives the space of deleted content back to the file system, in small steps beside searches, ingest and other
   * processes. Can be interrupted at any step, and called again. With a PostgreSQL database, the space of deleted rows is
   * used by later ones, and only empty pages at the ends of tables' files are given back.
   *
   * @returns the sizes before and after, and what keeps its space and why
   * @throws KnowledgeBaseError `forbidden` with `readOnly`, `unsupported` for `rewrite` with `database`
   * @example
   * const { places, remaining } = await kb.compact();
   */
  async compact(options: CompactOptions = {}): Promise<CompactSummary> {
    const [engine, { compact }] = await Promise.all([this.#engine(options.signal), import("./resources/compact.js")]);
    return compact(engine, options);
  }

  /** Says whether the database answers and its disks have space, for checks by what runs the process. */
  async readiness(options: CallOptions = {}): Promise<Readiness> {
    return readiness(await this.#engine(options.signal), options);
  }

  /**
   * Returns the metrics of this process and of the database in Prometheus's text format (0.0.4): searches, calls of
   * providers, HTTP requests, the queue, jobs and documents by status, memory and the event loop. Labels have no names or
   * ids of organizations, namespaces and tenants. If the database doesn't answer within a second, what it would say is
   * left out, and `lorebase_database_up` is 0.
   * @throws KnowledgeBaseError `unsupported` without the option `metrics`
   * @example
   * const kb = new KnowledgeBase({ directory: "./kb", metrics: true });
   * console.log(await kb.metrics());
   */
  async metrics(options: CallOptions = {}): Promise<string> {
    if (!this.#options.metrics) {
      const message = "Metrics are not collected: set the option metrics: true (lorebase serve --metrics).";
      throw new KnowledgeBaseError("unsupported", message);
    }
    const { metrics } = await this.#open();
    options.signal?.throwIfAborted();
    return metrics!.text();
  }

  /** Emits the event `http.request`, which `metrics` counts. For servers that answer requests themselves. */
  recordRequest(request: AnsweredRequest): void {
    this.#events.emit({ type: "http.request", ...request });
  }

  /**
   * Stores the bytes of a signed upload. For servers that serve upload URLs themselves.
   * @throws KnowledgeBaseError `forbidden`, `conflict`, `invalid_input`, `limit_exceeded` for more bytes than announced
   */
  async receiveUpload(upload: SignedUpload, body: Bytes, options: CallOptions = {}): Promise<void> {
    await receiveUpload(await this.#engine(), upload, body, options);
  }

  /**
   * Opens a signed download. For servers that serve download URLs themselves.
   * @throws KnowledgeBaseError `forbidden` if the URL was altered or has expired or its document is gone, `not_found`
   * if the namespace was deleted, `not_ready` if the document is no longer completed, `invalid_input` for the range
   */
  async openDownload(download: SignedDownload, options: DownloadOptions = {}): Promise<Download> {
    return openDownload(await this.#engine(), download, options);
  }

  /**
   * Creates a sign-in code for a visitor of a hosted page, to be e-mailed to the address. Whoever asked for it must come
   * back with its `requestId`. For servers that serve the pages themselves.
   */
  async createPageCode(page: PageSessionScope, email: string): Promise<PageCode> {
    return createPageCode(await this.#engine(), page, email);
  }

  /**
   * Returns whether a sign-in code is right. It works once, within ten minutes and five tries, in any process with the
   * same master key.
   */
  async verifyPageCode(page: PageSessionScope, code: PageCode & { readonly email: string }): Promise<boolean> {
    return verifyPageCode(await this.#engine(), page, code);
  }

  /**
   * Creates a session for a visitor of a hosted page who has proved to own the e-mail address. It is valid for 30 days,
   * on this page only. For servers that serve the pages themselves.
   */
  async createPageSession(page: PageSessionScope, email: string): Promise<PageSession> {
    return createPageSession(await this.#engine(), page, email);
  }

  /**
   * Returns the e-mail address of a session; `null` if the token is for another page, was altered or has expired. The
   * caller must check whether the address is still allowed.
   */
  async verifyPageSession(page: PageSessionScope, token: string): Promise<string | null> {
    return verifyPageSession(await this.#engine(), page, token);
  }

  /**
   * Counts a call against a limit in a window of time, which begins with its first call. Calls with the same key are
   * counted together: with a PostgreSQL database those of all processes, otherwise those of this process. If the
   * database doesn't answer within a second, the call is counted in this process, and the `error` event has the reason.
   * For servers that limit requests.
   */
  async countCall(call: CountedCall): Promise<CallCount> {
    return (await this.#engine()).storage.calls.count(call);
  }

  /**
   * Returns an id under which a browser can keep what belongs to one visitor of a hosted page. It doesn't tell the e-mail
   * address, differs between namespaces, and changes with the master key.
   *
   * @param email The address of the visitor's session; `null` for all visitors without one
   */
  async pageVisitorId(page: PageSessionScope, email: string | null): Promise<string> {
    return pageVisitorId(await this.#engine(), page, email);
  }

  /**
   * Returns the name of the reranker that a search with this `rerankModel` uses, or of the default reranker if none is
   * given. Returns `null` if the reranker isn't configured.
   */
  async findReranker(rerankModel?: string): Promise<string | null> {
    const [{ drivers }, { findConfiguredReranker }] = await Promise.all([
      this.#engine(),
      import("./search/search-request.js"),
    ]);
    return findConfiguredReranker(drivers, rerankModel)?.model ?? null;
  }

  /**
   * Returns the hosted page with this slug, of any organization; `null` if there is none or its namespace was deleted.
   * For servers that serve the pages themselves, which must check whether a visitor may see the page.
   */
  async hostedPage(slug: string, options: CallOptions = {}): Promise<HostedPage | null> {
    const page = await findHostedPage(await this.#engine(options.signal), slug);
    if (!page) return null;
    const { settings, organizationId } = page;
    return { settings, namespace: this.organization(organizationId).namespace(settings.namespaceId), organizationId };
  }

  /** Returns the API key with this secret, of any organization; `null` if there is none or it was revoked. */
  async verifyApiKey(key: string): Promise<ApiKey | null> {
    return verifyApiKey(await this.#engine(), key);
  }

  /**
   * Returns the API keys with these ids that have not been revoked, of any organization, in any order. For servers that
   * close the connections of revoked keys.
   */
  async findApiKeys(ids: readonly string[]): Promise<readonly ApiKey[]> {
    return findApiKeys(await this.#engine(), ids);
  }

  /**
   * Encrypts every stored secret with the first master key. The other keys can be removed once `remaining` is 0 and the
   * URLs that they signed have expired (24 hours). Can be interrupted and called again, even from several processes.
   */
  async rotateKeys(options: CallOptions = {}): Promise<KeyRotation> {
    return rotateKeys(await this.#engine(), options);
  }

  /**
   * Copies the database and the uploaded files into a folder while everything else goes on. The copy has the state of
   * one moment, at which every call that had returned before `backup` began is part of it. A folder that has an earlier
   * backup keeps it until the new one is complete, and only new files are copied. Files in a store of your own (`blobs`)
   * and models are not copied.
   *
   * @returns the manifest, as `manifest.json` in the folder has it
   * @throws KnowledgeBaseError `conflict` if the folder contains anything else, or while another backup writes to it
   * (retryable), `unsupported` with `database`, `not_found` if `secret.key` is to be included and lacks a key, `store_failed`
   * if a file can't be written or `verify` finds a problem
   * @example
   * await kb.backup("/backups/kb", { verify: true });
   */
  async backup(target: string, options: BackupOptions = {}): Promise<BackupManifest> {
    const parsed = parseInput(backupOptionsSchema, options);
    const [engine, { createBackup }] = await Promise.all([this.#engine(parsed.signal), import("./backup/backup.js")]);
    return createBackup(engine, target, parsed);
  }

  /**
   * Copies a knowledge base to another database or directory: from a directory to PostgreSQL, back, or to another of the
   * same kind. Ids stay the same. Secrets are encrypted with the target's master key. What is in hosted vector stores
   * stays there.
   *
   * An interrupted call can be repeated and continues. At the end, all rows, files and some searches of both are compared.
   * Before that, the target can't be opened. No process may use either of them.
   * @throws KnowledgeBaseError `conflict` if a process runs jobs of either, if the target has other content, or if they
   * differ in the end; `not_found` if there is no source; `not_ready` if a master key of the source is missing
   * @example
   * await KnowledgeBase.migrate({
   *   from: { directory: "./lorebase" },
   *   to: { database: "postgres://localhost/lorebase", sharedDirectory: true, masterKey: "…" },
   * });
   */
  static async migrate(migration: Migration, options: MigrateOptions = {}): Promise<MigrationSummary> {
    const { from, to } = resolveMigration(migration);
    options.signal?.throwIfAborted();
    const [{ openTransferEnd }, { transfer }] = await Promise.all([
      import("./create-engine.js"),
      import("./transfer/transfer.js"),
    ]);
    const source = await openTransferEnd(from, "source");
    try {
      const target = await openTransferEnd(to, "target");
      try {
        return await transfer({ from: source, to: target }, options);
      } finally {
        await target.storage.close();
      }
    } finally {
      await source.storage.close();
    }
  }

  /**
   * Stops the worker, waits until running documents can be interrupted, and closes everything. Can be called more than
   * once.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #engine = async (signal?: AbortSignal): Promise<Engine> => {
    const { engine } = await this.#open();
    signal?.throwIfAborted();
    return engine;
  };

  #open(): Promise<Parts> {
    if (this.#closing) return Promise.reject(new KnowledgeBaseError("closed", "The knowledge base is closed."));
    this.#opening ??= this.#loadAndOpen().catch((error) => {
      // A later call may succeed, for instance when the disk is no longer full.
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  /** Loads the engine's modules on first use, so that importing the package is fast. */
  async #loadAndOpen(): Promise<Parts> {
    const [started, { openParts }] = await Promise.all([
      import("./storage/start-database.js").then(({ startDatabase }) =>
        startDatabase(this.#options, this.#options.readOnly ? "readOnly" : "use"),
      ),
      import("./create-engine.js"),
    ]);
    return openParts(this.#options, this.#events, started);
  }

  async #close(): Promise<void> {
    const opened = await this.#opening?.catch(() => null);
    if (!opened) return;
    this.#events.emitClosing();
    const { engine, worker, feed, metrics, remove } = opened;
    feed.stop();
    metrics?.close();
    const closeDrivers = () =>
      Promise.all([engine.preparer.close(), engine.drivers.close(), engine.textEmbedder.close(), engine.fetch.close()]);
    try {
      // The worker fails to stop if the database refuses its last write.
      await (worker ? worker.stop().finally(closeDrivers) : closeDrivers());
    } finally {
      // Even if a driver fails to close, this ends the threads and removes a temporary directory.
      await engine.pendingWrites.ended();
      await engine.storage.close();
      await remove();
    }
  }
}
