import type { Paces } from "../crawl/host-rate-limiters.js";
import type { KeptCrawls } from "../crawl/suspended-crawls.js";
import type { EventHub } from "../events/event-bus.js";
import type { Outside } from "../ingest/outside.js";
import type { BlobStore } from "../interfaces/blob-store.js";
import type { VideoSource } from "../interfaces/video-source.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import type { ResolvedOptions } from "../options.js";
import type { Preparer } from "../parse-workers/preparer.js";
import type { Drivers } from "../providers/driver-registry.js";
import type { FilterKeyWarnings } from "../search/filter-key-warnings.js";
import type { Secrets } from "../secrets/secrets.js";
import type { Database } from "../storage/database.js";

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
