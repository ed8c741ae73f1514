import type { VectorLocation } from "../providers/vectors.js";
import type { Lease } from "../storage/records/lease.js";
import type { Scope } from "../types.js";
import type { BatchingEmbedder } from "./batching-embedder.js";
import type { IngestEngine } from "./ingest-engine.js";
import type { TaskSlot } from "./task-slot.js";

/** The job whose documents are ingested, and what its documents share. */
export interface JobContext {
  readonly engine: IngestEngine;
  readonly jobId: string;
  readonly lease: Lease;
  readonly scope: Scope;
  readonly embedder: BatchingEmbedder;
  readonly vectors: VectorLocation;
  /** The set of vectors that the embedder's vectors belong to. */
  readonly vectorSet: number;
  /** The set of vectors that searches don't use, of a namespace that is embedded again; `null` if there is none. */
  readonly secondSet: SecondSet | null;
  readonly signal: AbortSignal;
  /** The work slot of the job, released while all its documents wait for the network. */
  readonly slot: TaskSlot;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
  /** Keeps the engine from closing until work that outlives its document has ended. */
  waitUntil(work: Promise<void>): void;
}

/** The set of vectors of a namespace that searches don't use: of another model, or in another place. */
export interface SecondSet {
  readonly embedder: BatchingEmbedder;
  /** Where its vectors are stored. */
  readonly vectors: VectorLocation;
  readonly vectorSet: number;
  /** Whether the remaining documents of the job are embedded without it. The re-embedding writes their vectors. */
  isGivenUp: boolean;
}
