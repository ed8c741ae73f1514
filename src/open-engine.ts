import { join } from "node:path";
import { fileBlobStore } from "./blob-stores/file-blob-store.js";
import { systemClock } from "./calls/call-clock.js";
import { CallGuard } from "./calls/call-guard.js";
import { guardAnswers } from "./calls/guarded-drivers.js";
import { rememberedAnswers } from "./calls/remembered-answers.js";
import { Database } from "./database/database.js";
import type { StartedDatabase } from "./database/start-database.js";
import { Drivers, type DriversOptions } from "./drivers.js";
import { azureOpenAiProvider } from "./embedders/azure-openai.js";
import { googleProvider } from "./embedders/google.js";
import { lexicalProvider } from "./embedders/lexical.js";
import { managedOpenAiProvider } from "./embedders/managed-openai.js";
import { openAiProvider } from "./embedders/openai.js";
import { staticProvider } from "./embedders/static.js";
import { transformersProvider } from "./embedders/transformers.js";
import { voyageProvider } from "./embedders/voyage.js";
import type { Engine } from "./engine.js";
import { EventFeed } from "./event-feed.js";
import type { EventHub } from "./event-hub.js";
import { KeptCrawls } from "./ingest/kept-crawls.js";
import { openOutside } from "./ingest/outside.js";
import { IngestWorker } from "./ingest/worker.js";
import type { LanguageModel } from "./interfaces/language-model.js";
import { toLanguageModel } from "./language-models/to-language-model.js";
import { guardedFetch } from "./net/guarded-fetch.js";
import type { ResolvedOptions } from "./options.js";
import { type AskedModel, isolatedPreparer } from "./preparation/isolated-preparer.js";
import { HOSTED_RERANKERS, type RerankerVendor } from "./reranker-names.js";
import { aiSdkReranker } from "./rerankers/ai-sdk-reranker.js";
import { cohereReranking } from "./rerankers/cohere.js";
import { isAiSdkRerankingModel } from "./rerankers/is-ai-sdk-reranking-model.js";
import { transformersReranking } from "./rerankers/transformers.js";
import { zeroEntropyReranking } from "./rerankers/zeroentropy.js";
import { DEFAULT_ORGANIZATION } from "./resources/organizations.js";
import { FilterKeyWarnings } from "./search/filter-key-warnings.js";
import { Secrets } from "./secrets.js";
import { systemClock as crawlClock } from "./sources/crawl/crawl-clock.js";
import { Paces } from "./sources/crawl/paces.js";
import { youtubeVideoSource } from "./sources/youtube/youtube-video-source.js";
import { managedPineconeProvider, pineconeProvider } from "./vector-stores/pinecone.js";
import { sqliteVecProvider } from "./vector-stores/sqlite-vec.js";
import { managedTurbopufferProvider, turbopufferProvider } from "./vector-stores/turbopuffer.js";
import { warnOfMissingKeys } from "./warn-of-missing-keys.js";

/** The running parts of a knowledge base, to be closed by whoever had them opened. */
export interface Opened {
  readonly engine: Engine;
  readonly worker: IngestWorker;
  readonly feed: EventFeed;
  /** Removes the directory where it was a temporary one. */
  remove(): Promise<void>;
}

/**
 * Wires the running parts together and starts the worker. What fails half-way leaves nothing open.
 *
 * @param started Is closed where something fails.
 */
export async function openAll(options: ResolvedOptions, events: EventHub, started: StartedDatabase): Promise<Opened> {
  const { path, threads, remove } = started;
  const undo: (() => unknown)[] = [remove];
  try {
    const database = new Database(threads, { memoryBytes: options.limits.scanMemoryMb * 1024 * 1024 });
    undo.push(() => database.close());
    const engine = assemble(options, events, { path, database, secrets: await Secrets.open(path, options.masterKey) });
    await ensureDefaultOrganization(engine);
    await warnOfMissingKeys(engine);
    const feed = await EventFeed.start(engine);
    undo.push(() => feed.stop());
    const worker = new IngestWorker(engine);
    // Last: what it takes up would have to be put down again.
    if (options.worker) await worker.start();
    return { engine, worker, feed, remove };
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

function assemble(
  options: ResolvedOptions,
  events: EventHub,
  { path, database, secrets }: { readonly path: string; readonly database: Database; readonly secrets: Secrets },
): Engine {
  const crawls = new KeptCrawls();
  events.onJobStopped((jobId) => crawls.drop(jobId));
  const now = () => options.clock().getTime();
  const guard = new CallGuard({ limits: options.calls, clock: systemClock, events });
  return {
    options,
    database,
    secrets,
    events,
    fetch: guardedFetch({ allowPrivateHosts: options.network.allowPrivateHosts }),
    videos: options.videoSource ?? youtubeVideoSource(),
    outside: openOutside(path, options.limits.attempts),
    crawls,
    filterKeys: new FilterKeyWarnings(database, events),
    paces: new Paces({ clock: { ...crawlClock, now } }),
    blobs: options.blobStore ?? fileBlobStore({ directory: join(path, "blobs") }),
    drivers: new Drivers({
      embedders: embeddersOf(options),
      vectorStores: [...options.vectorStores, sqliteVecProvider(database), ...hostedStores(options.managed)],
      ...rerankersOf(options),
      modelsDirectory: options.modelsDirectory ?? join(path, "models"),
      events,
      guard,
      allowPrivateHosts: options.network.allowPrivateHosts,
    }),
    preparer: isolatedPreparer({
      parsers: options.parsers,
      chunker: options.chunker ?? null,
      timeoutMs: options.limits.parseTimeoutMs,
      maxMemoryBytes: options.limits.parseMemoryMb * 1024 * 1024,
      languageModel: options.languageModel ? askedModel(toLanguageModel(options.languageModel), guard) : null,
    }),
    now,
  };
}

function askedModel(model: LanguageModel, guard: CallGuard): AskedModel {
  return { name: `${model.provider} ${model.model}`, ask: rememberedAnswers(guardAnswers(model, guard)) };
}

/** The caller's own come first: one of a built-in's name takes its place. */
function embeddersOf({ embedders, managed }: ResolvedOptions): DriversOptions["embedders"] {
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

/** A vendor's key offers every model of it that the interface names; the default is the first that is configured, and no offered one. */
function rerankersOf({
  rerankers,
  managed: { cohere, zeroentropy },
}: ResolvedOptions): Pick<DriversOptions, "rerankers" | "offeredRerankers" | "rerankerProviders"> {
  const offers = (vendor: RerankerVendor) => HOSTED_RERANKERS[vendor].map((model) => `${vendor}:${model}`);
  return {
    rerankers: rerankers.map((given) => (isAiSdkRerankingModel(given) ? aiSdkReranker(given) : given)),
    offeredRerankers: [...(cohere ? offers("cohere") : []), ...(zeroentropy ? offers("zeroentropy") : [])],
    rerankerProviders: [
      transformersReranking(),
      ...(cohere ? [cohereReranking(cohere)] : []),
      ...(zeroentropy ? [zeroEntropyReranking(zeroentropy)] : []),
    ],
  };
}

function hostedStores({ pinecone, turbopuffer }: ResolvedOptions["managed"]) {
  return [
    pineconeProvider,
    managedPineconeProvider(pinecone),
    turbopufferProvider,
    managedTurbopufferProvider(turbopuffer),
  ];
}

async function ensureDefaultOrganization(engine: Engine): Promise<void> {
  await engine.database.query
    .insertInto("organizations")
    .values({ id: DEFAULT_ORGANIZATION, name: "Default", plan: null, created_at: engine.now() })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}
