import type { Lease } from "../storage/records/lease.js";
import type { CrawlPayload, IngestConfig, Scope, YoutubePayload } from "../types.js";
import type { Engine } from "./engine.js";

/** The payload of a job whose documents are discovered while the job runs. */
export type DiscoveryPayload = CrawlPayload | YoutubePayload;

/** Returns the URL whose origin is requested first. */
export function discoveryUrl(payload: DiscoveryPayload): string {
  return payload.type === "CRAWL" ? payload.url : payload.urls[0]!;
}

/** The discovery of a job's documents by the worker that holds the job's lease. */
export interface Discovery<Payload = DiscoveryPayload> {
  readonly engine: Engine;
  readonly jobId: string;
  /** How often the job has been queued, including this time. */
  readonly round: number;
  readonly lease: Lease;
  readonly scope: Scope;
  /** The job's payload with masked secrets (see `sealed-payload.ts`). */
  readonly payload: Payload;
  readonly config: IngestConfig;
  /** Aborts the discovery at once with the signal's reason. */
  readonly signal: AbortSignal;
  /** Aborted when other tasks are waiting: no new requests start, and running ones finish. */
  readonly pause: AbortSignal;
  /** Called after documents were added. They may be ingested while the discovery continues. */
  onDocumentsAdded(): void;
}

/**
 * Discovers a job's documents and adds each of them durably, so that a later call resumes after the last one added.
 * May be called when nothing is left to find. Returns "paused" if there is more to find.
 *
 * @throws KnowledgeBaseError if the discovery cannot continue: a retryable error requeues the job, any other fails it
 */
export type Discoverer<Payload> = (discovery: Discovery<Payload>) => Promise<"done" | "paused">;
