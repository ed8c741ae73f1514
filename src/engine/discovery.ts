import type { Lease } from "../storage/records/lease.js";
import type { CrawlPayload, IngestConfig, Scope, YoutubePayload } from "../types.js";
import type { Engine } from "./engine.js";

/** A payload that doesn't name its documents: they are found while the job runs. */
export type FindingPayload = CrawlPayload | YoutubePayload;

/** A job whose documents are being found, by the worker that holds it. */
export interface Discovery<Payload = FindingPayload> {
  readonly engine: Engine;
  readonly jobId: string;
  /** Counts how often the job has been ingested, from 1. */
  readonly round: number;
  readonly lease: Lease;
  readonly scope: Scope;
  /** As it is shown: secrets are masked (see `sealed-payload.ts`). */
  readonly payload: Payload;
  readonly config: IngestConfig;
  /** Ends it at once, with what it is aborted with. */
  readonly signal: AbortSignal;
  /** When it is aborted, other tasks wait: no further request is begun, and what is under way ends. */
  readonly pause: AbortSignal;
  /** Says that documents have been added: they may be ingested from now on, beside the discovery. */
  onFound(): void;
}

/**
 * Finds a job's documents and adds them to it, each durably, so that it goes on after the last one whenever it is called again. It may be
 * called with everything found. Returns "paused" where something is left to find.
 *
 * @throws KnowledgeBaseError where it can't go on: a retryable one puts the job back into the queue, another one fails it
 */
export type Discover<Payload> = (discovery: Discovery<Payload>) => Promise<"done" | "paused">;
