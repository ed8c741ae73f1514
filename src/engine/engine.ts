import type { EventBus } from "../events/event-bus.js";
import type { FilterNode } from "../filter.js";
import type { AiSdkLanguageModel } from "../interfaces/ai-sdk-language-model.js";
import type { BlobStore } from "../interfaces/blob-store.js";
import type { LanguageModel } from "../interfaces/language-model.js";
import type { Parser } from "../interfaces/parser.js";
import type { VideoSource } from "../interfaces/video-source.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import type { Preparer } from "../parse-workers/preparer.js";
import type { DriverRegistry } from "../providers/driver-registry.js";
import type { CallGuard } from "../resilience/call-guard.js";
import type { Secrets } from "../secrets/secrets.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions, Scope } from "../types.js";
import type { ActiveSearches } from "./active-searches.js";
import type { PendingWrites } from "./pending-writes.js";
import type { QuerySample } from "./query-sample.js";

/** The open components that resources, ingest, sync, crawl and search share. */
export interface Engine {
  readonly options: EngineOptions;
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly drivers: DriverRegistry;
  readonly preparer: Preparer;
  readonly secrets: Secrets;
  readonly events: EventBus;
  /** Fetches documents and pages from the web. */
  readonly fetch: GuardedFetch;
  /** Source of videos and their transcripts. */
  readonly videos: VideoSource;
  readonly filterKeys: FilterKeyChecker;
  readonly textEmbedder: TextEmbedder;
  readonly searches: ActiveSearches;
  readonly pendingWrites: PendingWrites;
  readonly querySample: QuerySample;
  /** Returns the state of each circuit breaker of a provider. */
  readonly circuits: CallGuard["circuits"];
  /** Returns the `generate` function of the given language model or of the default one; `null` if there is neither. */
  readonly findGenerate: (model?: LanguageModel | AiSdkLanguageModel) => LanguageModel["generate"] | null;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The knowledge base's options that are still needed once it is open, with defaults applied. */
export interface EngineOptions {
  readonly directory: string;
  /** Where uploaded files are stored. @default in the directory */
  readonly blobs?: BlobStore | undefined;
  readonly readOnly: boolean;
  readonly defaultEmbedding?: { readonly provider: string; readonly [key: string]: unknown } | undefined;
  /** `null` or absent if no model is configured. */
  readonly languageModel?: unknown;
  readonly parsers: readonly Parser[];
  readonly worker: false | { readonly concurrency: number; readonly documents: number };
  readonly limits: { readonly activeJobs: number; readonly attempts: number };
  readonly retention: {
    readonly eventDays: number;
    readonly webhookDeliveryDays: number;
    /** 0 if they are not kept. */
    readonly unansweredQuestionDays: number;
  };
  readonly network: { readonly allowPrivateHosts: readonly string[] };
  readonly rerankFailure: "fail" | "keep-order";
  readonly rerankTimeoutMs?: number | undefined;
  readonly publicUrl?: string | undefined;
}

/** Embeds texts with the model in the package, whatever embedder a namespace has. The first call loads the model. */
export interface TextEmbedder {
  embed(texts: readonly string[], call: CallOptions): Promise<readonly Float32Array[]>;
  /** Returns only the learned part of the vectors, which captures meaning rather than spelling. */
  embedWords(words: readonly string[], call: CallOptions): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** Warns about filters on keys that no document of the scope has. */
export interface FilterKeyChecker {
  check(scope: Scope, filter: FilterNode, hitCount: number, options: CallOptions): Promise<void>;
}

/** Opens the engine on first use. */
export type EngineOpener = (signal?: AbortSignal) => Promise<Engine>;
