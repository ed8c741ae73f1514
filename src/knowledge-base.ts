import type { Opened } from "./create-engine.js";
import type { Engine } from "./engine/engine.js";
import { KnowledgeBaseError } from "./errors.js";
import { EventBus, type EventOf, type EventType } from "./events/event-bus.js";
import type { IngestRun } from "./events/ingest-run.js";
import type { PendingRun } from "./events/pending-run.js";
import type { Bytes } from "./interfaces/blob-store.js";
import type { NamespaceHandle } from "./namespace-handle.js";
import { type KnowledgeBaseOptions, type ResolvedOptions, resolveOptions } from "./options.js";
import { OrganizationHandle } from "./organization-handle.js";
import { type ApiKey, findApiKeys, verifyApiKey } from "./resources/api-keys.js";
import { type Download, type DownloadOptions, openDownload, type SignedDownload } from "./resources/downloads.js";
import type { IngestInput, IngestOptions } from "./resources/ingest-input.js";
import { DEFAULT_ORGANIZATION, Organizations } from "./resources/organizations.js";
import { type KeyRotation, rotateKeys } from "./resources/rotate-keys.js";
import { receiveUpload, type SignedUpload } from "./resources/uploads.js";
import type { DocumentExplanation } from "./search/document-explanation.js";
import type { ExplainOptions } from "./search/explain.js";
import type { SearchOptions } from "./search/search.js";
import type { SearchHit } from "./search/search-hit.js";
import type { SyncedFolder, SyncOptions } from "./sync/sync-plan.js";
import type { SyncRun } from "./sync/sync-run.js";
import type { WatchOptions } from "./sync/watch-folder.js";
import type { CallOptions, Metadata, Namespace } from "./types.js";

/**
 * A knowledge base: namespaces of documents to ingest and search, in one directory and in this process.
 *
 * Opens at the first call that needs it; the constructor checks its options and does nothing else. Several processes may open the
 * same directory. Close it when you are done: queued work stays queued.
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
  readonly #default: OrganizationHandle;
  #opening: Promise<Opened> | null = null;
  #closing: Promise<void> | null = null;

  /** @throws KnowledgeBaseError `invalid_input` that names the option, its value and the rule */
  constructor(options: KnowledgeBaseOptions = {}) {
    this.#options = resolveOptions(options);
    this.organizations = new Organizations(this.#engine);
    this.#default = this.organization(DEFAULT_ORGANIZATION);
  }

  /** The address of the option of that name, without a slash at its end; null where it was not given. */
  get publicUrl(): string | null {
    return this.#options.publicUrl ?? null;
  }

  get namespaces() {
    return this.#default.namespaces;
  }
  get ingestJobs() {
    return this.#default.ingestJobs;
  }
  get documents() {
    return this.#default.documents;
  }
  get uploads() {
    return this.#default.uploads;
  }
  get hosting() {
    return this.#default.hosting;
  }
  get apiKeys() {
    return this.#default.apiKeys;
  }

  /** Queues content and returns a live view of the job. */
  ingest<M = Metadata>(namespace: string, input: IngestInput<M>, options?: IngestOptions<M>): PendingRun<IngestRun<M>> {
    return this.namespace<M>(namespace).ingest(input, options);
  }

  /** Makes a namespace hold what a folder holds, as a handle's `sync` does. */
  sync<M = Metadata>(namespace: string, folder: SyncedFolder, options?: SyncOptions<M>): PendingRun<SyncRun<M>> {
    return this.namespace<M>(namespace).sync(folder, options);
  }

  /** Keeps a namespace in step with a folder, as a handle's `watch` does. */
  watch<M = Metadata>(
    namespace: string,
    folder: SyncedFolder,
    options?: SyncOptions<M> & WatchOptions,
  ): AsyncGenerator<SyncRun<M>, never> {
    return this.namespace<M>(namespace).watch(folder, options);
  }

  /** Finds the passages that answer a query. */
  search<M = Metadata>(namespace: string, query: string, options?: SearchOptions<M>): Promise<readonly SearchHit<M>[]> {
    return this.namespace<M>(namespace).search(query, options);
  }

  /** Tells what became of one document in a search: where it stands, or at which stage it was lost. */
  explain<M = Metadata>(namespace: string, query: string, options: ExplainOptions<M>): Promise<DocumentExplanation> {
    return this.namespace<M>(namespace).explain(query, options);
  }

  /** A cheap handle on a namespace, by id, slug or record; it makes no call until one of its methods is used. */
  namespace<M = Metadata>(ref: string | Namespace): NamespaceHandle<M> {
    return this.#default.namespace<M>(ref);
  }

  /** The same engine for another owner; nothing leaks between organizations. */
  organization(id: string): OrganizationHandle {
    return new OrganizationHandle(this.#engine, id);
  }

  /** Calls a listener for every event of a type until the returned object is disposed. */
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => void): Disposable {
    const subscription = this.#events.on(type, listener);
    this.#opening?.then(({ feed }) => feed.follow()).catch(() => {});
    return subscription;
  }

  /** Opens the directory, brings its database to the newest version and starts the worker. Implicit in every other call. */
  async start(options: CallOptions = {}): Promise<this> {
    options.signal?.throwIfAborted();
    await this.#open();
    return this;
  }

  /** Runs queued work until none is left: for tests, scripts and serverless hosts. */
  async drain(options: CallOptions = {}): Promise<void> {
    const { worker } = await this.#open();
    await worker.drain(options);
  }

  /**
   * Takes in the bytes that an upload URL announced, for whoever serves these URLs.
   * @throws KnowledgeBaseError `forbidden`, `conflict`, `invalid_input`, `limit_exceeded` for more bytes than were announced
   */
  async receiveUpload(upload: SignedUpload, body: Bytes, options: CallOptions = {}): Promise<void> {
    await receiveUpload(await this.#engine(), upload, body, options);
  }

  /**
   * Opens what a download URL names, for whoever serves these URLs.
   * @throws KnowledgeBaseError `forbidden` where it was changed or has expired, `not_found` where the document or its namespace has
   * been deleted since, `not_ready` where the document is no longer completed, `invalid_input` for the range
   */
  async openDownload(download: SignedDownload, options: DownloadOptions = {}): Promise<Download> {
    return openDownload(await this.#engine(), download, options);
  }

  /** The live key behind a secret that a caller presents, of whatever organization; null where there is none. */
  async verifyApiKey(key: string): Promise<ApiKey | null> {
    return verifyApiKey(await this.#engine(), key);
  }

  /**
   * Those of the API keys with these ids that have not been revoked, of whatever organization, in no particular order: for whoever keeps a
   * connection open that a key has opened.
   */
  async findApiKeys(ids: readonly string[]): Promise<readonly ApiKey[]> {
    return findApiKeys(await this.#engine(), ids);
  }

  /**
   * Seals every stored secret anew under the first master key, after which those that were listed behind it are no longer needed once
   * `remaining` is 0 and the URLs that they signed have expired (24 hours). May be interrupted and called again, by several processes too.
   */
  async rotateKeys(options: CallOptions = {}): Promise<KeyRotation> {
    return rotateKeys(await this.#engine(), options);
  }

  /** Stops taking work, lets running documents reach a safe point, and closes everything. May be called twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #engine = async (): Promise<Engine> => (await this.#open()).engine;

  #open(): Promise<Opened> {
    if (this.#closing) return Promise.reject(new KnowledgeBaseError("closed", "The knowledge base is closed."));
    this.#opening ??= this.#openAll().catch((error) => {
      // What could not be opened once may be opened later: the disk is no longer full, the other version has left.
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  /** The engine's modules are loaded here and not with this one: a program that imports us and never calls us pays nothing. */
  async #openAll(): Promise<Opened> {
    const [started, { openAll }] = await Promise.all([
      import("./storage/start-database.js").then(({ startDatabase }) => startDatabase(this.#options.directory)),
      import("./create-engine.js"),
    ]);
    return openAll(this.#options, this.#events, started);
  }

  async #close(): Promise<void> {
    const opened = await this.#opening?.catch(() => null);
    if (!opened) return;
    this.#events.closing();
    const { engine, worker, feed, remove } = opened;
    feed.stop();
    try {
      await worker.stop();
      await Promise.all([engine.preparer.close(), engine.drivers.close(), engine.fetch.close()]);
    } finally {
      // Whatever a driver or a full disk refuses: the threads end and a temporary directory goes.
      await engine.database.close();
      await remove();
    }
  }
}
