import { join } from "node:path";
import { fileBlobStore } from "#dist/blob-stores/file-blob-store.js";
import { systemClock } from "#dist/calls/call-clock.js";
import { CallGuard } from "#dist/calls/call-guard.js";
import { Database } from "#dist/database/database.js";
import { openDirectory } from "#dist/database/open-directory.js";
import { Drivers } from "#dist/drivers.js";
import { lexicalProvider } from "#dist/embedders/lexical.js";
import { EventHub } from "#dist/event-hub.js";
import { KeptCrawls } from "#dist/ingest/kept-crawls.js";
import { openOutside } from "#dist/ingest/outside.js";
import { guardedFetch } from "#dist/net/guarded-fetch.js";
import { resolveOptions } from "#dist/options.js";
import { OrganizationView } from "#dist/organization-view.js";
import { isolatedPreparer } from "#dist/preparation/isolated-preparer.js";
import { Organizations } from "#dist/resources/organizations.js";
import { FilterKeyWarnings } from "#dist/search/filter-key-warnings.js";
import { Secrets } from "#dist/secrets.js";
import { Paces } from "#dist/sources/crawl/paces.js";
import { youtubeVideoSource } from "#dist/sources/youtube/youtube-video-source.js";
import { sqliteVecProvider } from "#dist/vector-stores/sqlite-vec.js";
import type { Engine } from "../../src/engine.js";
import type { KnowledgeBaseOptions } from "../../src/options.js";

export interface OpenEngine {
  readonly engine: Engine;
  readonly organizations: Organizations;
  /** What an organization can do, without a worker beside it. */
  organization(id?: string): OrganizationView;
  close(): Promise<void>;
}

/** The open parts of an engine, for what a knowledge base keeps to itself: its database, its secrets, its sweeper. */
export async function openEngine(given: KnowledgeBaseOptions = {}): Promise<OpenEngine> {
  const options = resolveOptions({ directory: ":memory:", ...given });
  const { path, remove } = await openDirectory(options.directory);
  const database = await Database.open(path);
  const events = new EventHub();
  const engine: Engine = {
    options,
    database,
    events,
    blobs: options.blobStore ?? fileBlobStore({ directory: join(path, "blobs") }),
    drivers: new Drivers({
      embedders: [...options.embedders, lexicalProvider],
      vectorStores: [...options.vectorStores, sqliteVecProvider(database)],
      rerankers: [],
      offeredRerankers: [],
      rerankerProviders: [],
      modelsDirectory: join(path, "models"),
      events,
      guard: new CallGuard({ limits: options.calls, clock: systemClock, events }),
      allowPrivateHosts: options.network.allowPrivateHosts,
    }),
    preparer: isolatedPreparer({
      parsers: [],
      chunker: null,
      languageModel: null,
      timeoutMs: 60_000,
      maxMemoryBytes: 2 ** 30,
    }),
    secrets: await Secrets.open(path, options.masterKey),
    fetch: guardedFetch({ allowPrivateHosts: options.network.allowPrivateHosts }),
    videos: youtubeVideoSource(),
    outside: openOutside(path, 8),
    crawls: new KeptCrawls(),
    filterKeys: new FilterKeyWarnings(database, events),
    paces: new Paces(),
    now: () => options.clock().getTime(),
  };
  const open = async () => engine;
  const organizations = new Organizations(open);
  await organizations.create({ id: DEFAULT, name: "Default" });
  return {
    engine,
    organizations,
    organization: (id = DEFAULT) => new OrganizationView(open, id),
    async close() {
      await Promise.all([engine.preparer.close(), engine.drivers.close(), engine.fetch.close()]);
      await database.close();
      await remove();
    },
  };
}

const DEFAULT = "org_1";
