import { join } from "node:path";
import { fileBlobStore } from "./blob-stores/file/blob-store.js";
import { DEFAULT_ORGANIZATION } from "./domain/default-organization.js";
import { azureOpenAiProvider } from "./embedders/azure-openai/provider.js";
import { googleProvider } from "./embedders/google/provider.js";
import { lexicalProvider } from "./embedders/lexical/provider.js";
import { LEXICAL_DIMENSIONS } from "./embedders/lexical/vector.js";
import { managedOpenAiProvider } from "./embedders/openai/managed-provider.js";
import { openAiProvider } from "./embedders/openai/provider.js";
import { staticEmbedder, staticProvider } from "./embedders/static/provider.js";
import { transformersProvider } from "./embedders/transformers/provider.js";
import { voyageProvider } from "./embedders/voyage/provider.js";
import { ActiveSearches } from "./engine/active-searches.js";
import type { Engine, TextEmbedder } from "./engine/engine.js";
import { PendingWrites } from "./engine/pending-writes.js";
import { QuerySample } from "./engine/query-sample.js";
import type { EventBus } from "./events/event-bus.js";
import { EventFeed } from "./events/event-feed.js";
import { discoverVideos } from "./ingest/discover-videos.js";
import { createFetchingServices } from "./ingest/fetching-services.js";
import type { IngestEngine } from "./ingest/ingest-engine.js";
import { IngestWorker } from "./ingest/worker.js";
import type { AiSdkLanguageModel } from "./interfaces/ai-sdk-language-model.js";
import type { Embedder } from "./interfaces/embedder.js";
import type { LanguageModel } from "./interfaces/language-model.js";
import type { AnyProvider } from "./interfaces/provider.js";
import type { VectorStore } from "./interfaces/vector-store.js";
import { toLanguageModel } from "./language-models/to-language-model.js";
import { guardedFetch } from "./net/guarded-fetch.js";
import { DEFAULT_SCAN_MEMORY_BYTES, type ResolvedLocation, type ResolvedOptions } from "./options.js";
import { pooledPreparer } from "./parse-workers/pooled-preparer.js";
import type { EnrichmentModel } from "./parse-workers/preparer-options.js";
import { DriverRegistry, type DriverRegistryOptions } from "./providers/driver-registry.js";
import { HOSTED_RERANKERS, type RerankerVendor } from "./providers/reranker-names.js";
import { isAiSdkRerankingModel } from "./rerankers/ai-sdk/is-reranking-model.js";
import { aiSdkReranker } from "./rerankers/ai-sdk/reranker.js";
import { cohereReranking } from "./rerankers/cohere/provider.js";
import { transformersReranking } from "./rerankers/transformers/provider.js";
import { zeroEntropyReranking } from "./rerankers/zeroentropy/provider.js";
import { cacheAnswers } from "./resilience/answer-cache.js";
import { CallGuard } from "./resilience/call-guard.js";
import { guardLanguageModel, streamLanguageModel } from "./resilience/guarded-drivers.js";
import type { Metrics } from "./resources/metrics/metrics.js";
import { FilterKeyWarnings } from "./search/filter-key-warnings.js";
import { parseMasterKey } from "./secrets/master-key.js";
import { openMasterKeys, readSecretKeys } from "./secrets/secret-key-file.js";
import { keyIdOf, Secrets } from "./secrets/secrets.js";
import { warnOfMissingKeys } from "./secrets/warn-of-missing-keys.js";
import { youtubeVideoSource } from "./sources/youtube/youtube-video-source.js";
import type { DatabaseAccess } from "./storage/database-access.js";
import type { OpenedPostgres } from "./storage/postgres/open-postgres.js";
import { sqliteStorage } from "./storage/sqlite/sqlite-storage.js";
import type { StartedDatabase } from "./storage/start-database.js";
import type { Storage } from "./storage/storage.js";
import type { TransferEnd } from "./transfer/transfer-end.js";
import type { CallOptions } from "./types.js";
import { systemClock } from "./util/clock.js";
import { managedPgvectorProvider } from "./vector-stores/pgvector/provider.js";
import { managedPineconeProvider, pineconeProvider } from "./vector-stores/pinecone/provider.js";
import { managedTurbopufferProvider, turbopufferProvider } from "./vector-stores/turbopuffer/provider.js";

/** The running parts of a knowledge base. The caller closes them. */
export interface Parts {
  readonly engine: Engine;
  /** `null` if the knowledge base is open for reading only. */
  readonly worker: IngestWorker | null;
  readonly feed: EventFeed;
  /** `null` without the option `metrics`. */
  readonly metrics: Metrics | null;
  /** Removes what is temporary: the directory, or a copy of the database. */
  remove(): Promise<void>;
}

/**
 * Creates the parts of a knowledge base and starts its worker. Closes everything if a step fails.
 *
 * @param started The started database, which is also closed if a step fails.
 */
export async function openParts(options: ResolvedOptions, events: EventBus, started: StartedDatabase): Promise<Parts> {
  const { path, remove } = started;
  const cleanups: (() => unknown)[] = [remove];
  try {
    const memoryBytes = options.limits.scanMemoryMb * 1024 * 1024;
    const storage = await createStorage(started, { memoryBytes }, (error) => events.emit({ type: "error", error }));
    cleanups.push(() => storage.close());
    const engine = assembleEngine(options, events, {
      path,
      storage,
      clockOffsetMs: clockOffsetOf(started),
      secrets: await Secrets.open(path, options.masterKey, { readOnly: options.readOnly }),
    });
    if (!options.readOnly) await ensureDefaultOrganization(engine);
    await warnOfMissingKeys(engine);
    if ("postgres" in started) await warnOfOtherKey(engine, started.postgres);
    const feed = await EventFeed.start(engine);
    cleanups.push(() => feed.stop());
    const metrics = options.metrics ? await openMetrics(engine) : null;
    cleanups.push(() => metrics?.close());
    if (options.readOnly) return { engine, worker: null, feed, metrics, remove };
    const worker = new IngestWorker(toIngestEngine(engine, path));
    const { workSignals } = storage;
    if (!options.worker && workSignals) events.onWorkAdded(() => workSignals.send());
    // Last, so that a failure above does not interrupt jobs.
    if (options.worker) await worker.start();
    return { engine, worker, feed, metrics, remove };
  } catch (error) {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
    throw error;
  }
}

/** Loads the library of metrics only if they are asked for. */
async function openMetrics(engine: Engine): Promise<Metrics> {
  const { Metrics } = await import("./resources/metrics/metrics.js");
  return new Metrics(engine);
}

/** Creates the storage of the database that was started. PostgreSQL's module is loaded only if it is used. */
async function createStorage(
  started: StartedDatabase,
  limits: { readonly memoryBytes: number },
  onError?: (error: unknown) => void,
): Promise<Storage> {
  if ("threads" in started) return sqliteStorage(started.threads, limits);
  const { postgresStorage } = await import("./storage/postgres/postgres-storage.js");
  return postgresStorage(started.postgres, limits, onError);
}

/** Opens one side of a migration. The caller closes the storage. */
export async function openTransferEnd(
  location: ResolvedLocation,
  access: Exclude<DatabaseAccess, "use">,
): Promise<TransferEnd> {
  const { startDatabase } = await import("./storage/start-database.js");
  const started = await startDatabase(location, access);
  const storage = await createStorage(started, { memoryBytes: DEFAULT_SCAN_MEMORY_BYTES });
  try {
    const { path } = started;
    const given = location.masterKey ?? [];
    const blobsFolder = location.blobs ? null : join(path, "blobs");
    return {
      storage,
      blobs: location.blobs ?? fileBlobStore({ directory: blobsFolder! }),
      blobsFolder,
      masterKeys: access === "source" ? [...given, ...(await readSecretKeys(path))] : await openMasterKeys(path, given),
      now: () => Date.now() + clockOffsetOf(started)(),
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Returns the milliseconds by which the database's clock is ahead of this machine's. */
function clockOffsetOf(started: StartedDatabase): () => number {
  return "postgres" in started ? () => started.postgres.clock.offsetMs : () => 0;
}

interface OpenedParts {
  readonly path: string;
  readonly storage: Storage;
  readonly secrets: Secrets;
  /** The milliseconds by which the database's clock is ahead of this machine's. */
  readonly clockOffsetMs: () => number;
}

function assembleEngine(
  options: ResolvedOptions,
  events: EventBus,
  { path, storage, secrets, clockOffsetMs }: OpenedParts,
): Engine {
  const now = () => options.clock().getTime() + clockOffsetMs();
  const guard = new CallGuard({ limits: options.calls, clock: systemClock, events });
  const pendingWrites = new PendingWrites(events);
  return {
    options,
    storage,
    secrets,
    events,
    fetch: guardedFetch({ allowPrivateHosts: options.network.allowPrivateHosts }),
    videos: options.videoSource ?? youtubeVideoSource(),
    filterKeys: new FilterKeyWarnings(storage, events),
    textEmbedder: createTextEmbedder(),
    searches: new ActiveSearches(),
    pendingWrites,
    querySample: new QuerySample({
      storage,
      writes: pendingWrites,
      now,
      days: options.readOnly ? 0 : options.retention.sampledQueryDays,
    }),
    findGenerate: createFindGenerate(options.languageModel, guard),
    circuits: () => guard.circuits(),
    blobs: options.blobs ?? fileBlobStore({ directory: join(path, "blobs") }),
    drivers: new DriverRegistry({
      embedders: listEmbedders(options),
      vectorStores: [...options.vectorStores, ...listHostedStores(options, events)],
      ...listRerankers(options),
      modelsDirectory: options.modelsDirectory ?? join(path, "models"),
      downloadModels: !options.readOnly || options.modelsDirectory !== undefined,
      events,
      guard,
      allowPrivateHosts: options.network.allowPrivateHosts,
    }),
    preparer: pooledPreparer({
      parsers: options.parsers,
      chunker: options.chunker ?? null,
      timeoutMs: options.limits.parseTimeoutMs,
      maxMemoryBytes: options.limits.parseMemoryMb * 1024 * 1024,
      languageModel: options.languageModel ? toEnrichmentModel(toLanguageModel(options.languageModel), guard) : null,
    }),
    now,
  };
}

/** Adds the parts that only the worker uses: discovery of documents, and limits for everything that is fetched. */
export function toIngestEngine(engine: Engine, path: string): IngestEngine {
  const discover = { CRAWL: createPageDiscovery(engine), YOUTUBE: discoverVideos };
  return { ...engine, fetching: createFetchingServices(path, engine.options.limits.attempts), discover };
}

/** Creates a page discovery that loads the crawler on the first crawl. */
function createPageDiscovery(engine: Engine): IngestEngine["discover"]["CRAWL"] {
  let opening: Promise<IngestEngine["discover"]["CRAWL"]> | undefined;
  return async (discovery) => {
    opening ??= import("./crawl/discover-pages.js").then(({ createPageDiscovery }) => createPageDiscovery(engine));
    return (await opening)(discovery);
  };
}

function createTextEmbedder(): TextEmbedder {
  let opening: Promise<Embedder> | undefined;
  const embed = async (texts: readonly string[], { signal }: CallOptions) => {
    opening ??= staticEmbedder();
    return (await opening).embed(texts, { purpose: "query", signal });
  };
  return {
    embed,
    async embedWords(words, call) {
      const vectors = await embed(words, call);
      return vectors.map((vector) => vector.subarray(0, vector.length - LEXICAL_DIMENSIONS));
    },
    close: async () => (await opening)?.close?.(),
  };
}

/** Returns the engine's `findGenerate`. Calls of the same model share limits. */
function createFindGenerate(
  configured: LanguageModel | AiSdkLanguageModel | undefined,
  guard: CallGuard,
): Engine["findGenerate"] {
  const guarded = new WeakMap<object, LanguageModel["generate"]>();
  return (model = configured) => {
    if (model === undefined) return null;
    const generate = guarded.get(model) ?? streamLanguageModel(toLanguageModel(model), guard);
    guarded.set(model, generate);
    return generate;
  };
}

function toEnrichmentModel(model: LanguageModel, guard: CallGuard): EnrichmentModel {
  return { name: `${model.provider} ${model.model}`, ask: cacheAnswers(guardLanguageModel(model, guard)) };
}

/** Lists the embedders. The caller's come first, so that they replace built-in embedders of the same name. */
function listEmbedders({ embedders, managed }: ResolvedOptions): DriverRegistryOptions["embedders"] {
  return [
    ...embedders,
    transformersProvider,
    staticProvider,
    lexicalProvider,
    openAiProvider,
    managedOpenAiProvider(managed.openai),
    azureOpenAiProvider,
    voyageProvider,
    googleProvider,
  ];
}

/** Lists the rerankers. With a vendor's key, searches can name all its models, but only `rerankers` has a default. */
function listRerankers({
  rerankers,
  managed: { cohere, zeroentropy },
}: ResolvedOptions): Pick<DriverRegistryOptions, "rerankers" | "offeredRerankers" | "rerankerProviders"> {
  const modelsOf = (vendor: RerankerVendor) => HOSTED_RERANKERS[vendor].map((model) => `${vendor}:${model}`);
  return {
    rerankers: rerankers.map((reranker) => (isAiSdkRerankingModel(reranker) ? aiSdkReranker(reranker) : reranker)),
    offeredRerankers: [...(cohere ? modelsOf("cohere") : []), ...(zeroentropy ? modelsOf("zeroentropy") : [])],
    rerankerProviders: [
      transformersReranking(),
      ...(cohere ? [cohereReranking(cohere)] : []),
      ...(zeroentropy ? [zeroEntropyReranking(zeroentropy)] : []),
    ],
  };
}

/**
 * Lists the hosted vector stores. Each vendor has a driver in `vector-stores/`, an account in `ManagedOptions`
 * (options.ts), an optional peer dependency, and a fake service in `test/support/vendors` for the contract suite.
 */
function listHostedStores(
  { database, managed: { pinecone, turbopuffer, pgvector } }: ResolvedOptions,
  events: EventBus,
): readonly AnyProvider<VectorStore>[] {
  const pgvectorAccount = pgvector ?? (database === undefined ? undefined : { url: database });
  const onWarning = (message: string) => events.emit({ type: "warning", message });
  return [
    pineconeProvider,
    managedPineconeProvider(pinecone),
    turbopufferProvider,
    managedTurbopufferProvider(turbopuffer),
    ...(pgvectorAccount ? [managedPgvectorProvider(pgvectorAccount, onWarning)] : []),
  ];
}

async function ensureDefaultOrganization(engine: Engine): Promise<void> {
  // Writes nothing if there is one, since the disk may be full.
  if (await engine.storage.organizations.get({ id: DEFAULT_ORGANIZATION })) return;
  await engine.storage.organizations.ensure({
    id: DEFAULT_ORGANIZATION,
    name: "Default",
    plan: null,
    now: engine.now(),
  });
}

/** Emits a warning if this process has none of the master keys that other processes of the database have used. */
async function warnOfOtherKey({ secrets, events }: Engine, { database }: OpenedPostgres): Promise<void> {
  const { recordMasterKey } = await import("./storage/postgres/master-keys.js");
  const used = await recordMasterKey(database, secrets.keyId);
  if (used.length === 0 || used.some((id) => secrets.has(id))) return;
  const message =
    `This process has the masterKey ${secrets.keyId}; other processes of this database have used ${used.join(", ")}. ` +
    "URLs and sessions that one signs are refused by the other: give all processes the same masterKey.";
  events.emit({ type: "warning", message });
}

/** Returns the id of a master key, which doesn't reveal the key; `null` if the text isn't a key. */
export function parseMasterKeyId(text: string): string | null {
  const key = parseMasterKey(text);
  return key && keyIdOf(key);
}

/** Loads the inspection of a server for `lorebase doctor`. */
export function loadPostgresInspection(): Promise<typeof import("./storage/postgres/inspect-postgres.js")> {
  return import("./storage/postgres/inspect-postgres.js");
}

/** Loads the inspection for `lorebase doctor` on demand, since it loads SQLite on the caller's thread. */
export function loadSqliteInspection(): Promise<typeof import("./storage/sqlite/inspect-sqlite.js")> {
  return import("./storage/sqlite/inspect-sqlite.js");
}

export type { PostgresInspection } from "./storage/postgres/inspect-postgres.js";
export type { OpenedDatabase, StoredUpload } from "./storage/sqlite/inspect-sqlite.js";
