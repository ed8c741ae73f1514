import { join } from "node:path";
import { fileBlobStore } from "#dist/blob-stores/file/blob-store.js";
import { lexicalProvider } from "#dist/embedders/lexical/provider.js";
import { ActiveSearches } from "#dist/engine/active-searches.js";
import { PendingWrites } from "#dist/engine/pending-writes.js";
import { QuerySample } from "#dist/engine/query-sample.js";
import { EventBus } from "#dist/events/event-bus.js";
import { guardedFetch } from "#dist/net/guarded-fetch.js";
import { resolveOptions } from "#dist/options.js";
import { OrganizationHandle } from "#dist/organization-handle.js";
import { pooledPreparer } from "#dist/parse-workers/pooled-preparer.js";
import { DriverRegistry } from "#dist/providers/driver-registry.js";
import { CallGuard } from "#dist/resilience/call-guard.js";
import { Organizations } from "#dist/resources/organizations.js";
import { FilterKeyWarnings } from "#dist/search/filter-key-warnings.js";
import { Secrets } from "#dist/secrets/secrets.js";
import { youtubeVideoSource } from "#dist/sources/youtube/youtube-video-source.js";
import { openDirectory } from "#dist/storage/open-directory.js";
import { systemClock } from "#dist/util/clock.js";
import type { Engine } from "../../src/engine/engine.js";
import type { KnowledgeBaseOptions } from "../../src/options.js";
import type { Storage } from "../../src/storage/storage.js";
import { openStorage } from "./open-storage.js";

export interface OpenEngine {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly directory: string;
  readonly organizations: Organizations;
  /** What an organization can do, without a worker beside it. */
  organization(id?: string): OrganizationHandle;
  close(): Promise<void>;
}

/** The open parts of an engine, for what a knowledge base keeps to itself: its database, its secrets, its sweeper. */
export async function openEngine(given: KnowledgeBaseOptions = {}): Promise<OpenEngine> {
  const options = resolveOptions({ directory: ":memory:", ...given });
  const { path, remove } = await openDirectory(options.directory);
  const storage = await openStorage(path);
  const events = new EventBus();
  const guard = new CallGuard({ limits: options.calls, clock: systemClock, events });
  const now = () => options.clock().getTime();
  const pendingWrites = new PendingWrites(events);
  const engine: Engine = {
    options,
    storage,
    events,
    blobs: options.blobs ?? fileBlobStore({ directory: join(path, "blobs") }),
    drivers: new DriverRegistry({
      embedders: [...options.embedders, lexicalProvider],
      vectorStores: options.vectorStores,
      rerankers: [],
      offeredRerankers: [],
      rerankerProviders: [],
      downloadModels: true,
      modelsDirectory: join(path, "models"),
      events,
      guard,
      allowPrivateHosts: options.network.allowPrivateHosts,
    }),
    preparer: pooledPreparer({
      parsers: [],
      chunker: null,
      languageModel: null,
      timeoutMs: 60_000,
      maxMemoryBytes: 2 ** 30,
    }),
    secrets: await Secrets.open(path, options.masterKey),
    fetch: guardedFetch({ allowPrivateHosts: options.network.allowPrivateHosts }),
    videos: youtubeVideoSource(),
    filterKeys: new FilterKeyWarnings(storage, events),
    findGenerate: () => null,
    circuits: () => guard.circuits(),
    textEmbedder: { embed: async () => [], embedWords: async () => [], close: async () => {} },
    searches: new ActiveSearches(),
    pendingWrites,
    querySample: new QuerySample({ storage, writes: pendingWrites, now, days: options.retention.sampledQueryDays }),
    now,
  };
  const open = async () => engine;
  const organizations = new Organizations(open);
  await organizations.create({ id: DEFAULT, name: "Default" });
  return {
    engine,
    storage,
    directory: path,
    organizations,
    organization: (id = DEFAULT) => new OrganizationHandle(open, id),
    async close() {
      await Promise.all([engine.preparer.close(), engine.drivers.close(), engine.fetch.close()]);
      await storage.close();
      await remove();
    },
  };
}

const DEFAULT = "org_1";
