import type { CallOptions } from "../types.js";
import type { Operation } from "./operation.js";
import type { RecordOperations } from "./records/index.js";
import type { SearchIndex } from "./search-index.js";
import type { Tx } from "./tx.js";

/** An operation as callers see it: it runs as one piece, wherever the engine keeps its records. */
type Call<Run> = Run extends (tx: Tx) => Operation<infer Result>
  ? (argument?: undefined, options?: CallOptions) => Promise<Result>
  : Run extends (tx: Tx, argument: infer Argument) => Operation<infer Result>
    ? (argument: Argument, options?: CallOptions) => Promise<Result>
    : never;

/** The operations on the records, by noun: `storage.tasks.claim({ owner, now, leaseMs })`. */
export type Records = {
  readonly [Noun in keyof RecordOperations]: {
    readonly [Verb in keyof RecordOperations[Noun]]: Call<RecordOperations[Noun][Verb]>;
  };
};

/**
 * Everything that a knowledge base stores besides files. Whoever uses it sees operations and records, no SQL and no
 * engine.
 *
 * Writes are durable when their promise resolves. Those of one caller take effect in the order in which they were asked
 * for, and what is asked for afterwards sees them.
 *
 * Aborting a call ends the waiting, not the work: a write that has begun takes effect.
 */
export interface Storage extends Records {
  /** Chunks, words and vectors. */
  readonly index: SearchIndex;
  /** Finishes what was asked for. Nothing may be asked for afterwards. */
  close(): Promise<void>;
}
