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
  /** The other model of a namespace that is embedded again, or the other place of its vectors; `null` if there is none. */
  readonly secondModel: SecondModel | null;
  readonly signal: AbortSignal;
  /** The work slot of the job, released while all its documents wait for the network. */
  readonly slot: TaskSlot;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
  /** Keeps the engine from closing until work that outlives its document has ended. */
  waitUntil(work: Promise<void>): void;
}

/** A second model of a namespace, or the same one, whose vectors searches don't use. */
export interface SecondModel {
  readonly embedder: BatchingEmbedder;
  /** Where its vectors are stored. */
  readonly vectors: VectorLocation;
  readonly vectorSet: number;
  /** Whether the remaining documents of the job are embedded without it. The re-embedding writes their vectors. */
  isGivenUp: boolean;
}
