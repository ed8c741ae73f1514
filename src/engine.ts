import type { Database } from "./database/database.js";
import type { Drivers } from "./drivers.js";
import type { EventHub } from "./event-hub.js";
import type { KeptCrawls } from "./ingest/kept-crawls.js";
import type { Outside } from "./ingest/outside.js";
import type { BlobStore } from "./interfaces/blob-store.js";
import type { Preparer } from "./interfaces/preparer.js";
import type { VideoSource } from "./interfaces/video-source.js";
import type { GuardedFetch } from "./net/guarded-fetch.js";
import type { ResolvedOptions } from "./options.js";
import type { FilterKeyWarnings } from "./search/filter-key-warnings.js";
import type { Secrets } from "./secrets.js";
import type { Paces } from "./sources/crawl/paces.js";

/** The open parts that resources, worker and search share. */
export interface Engine {
  readonly options: ResolvedOptions;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly drivers: Drivers;
  readonly preparer: Preparer;
  readonly secrets: Secrets;
  readonly events: EventHub;
  /** What sources outside are fetched with. */
  readonly fetch: GuardedFetch;
  /** Where videos and their transcripts come from. */
  readonly videos: VideoSource;
  readonly outside: Outside;
  readonly crawls: KeptCrawls;
  readonly filterKeys: FilterKeyWarnings;
  /** How fast each site may be asked. */
  readonly paces: Paces;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Opens the engine at the first call that needs it. */
export type OpenEngine = () => Promise<Engine>;
