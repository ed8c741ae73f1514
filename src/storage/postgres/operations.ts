import type { OperationName } from "../facade.js";
import type { Operation } from "../operation.js";
import type { NewChunks } from "../records/chunks.js";
import {
  type DocumentMove,
  type GenerationStart,
  moveDocuments,
  openGenerations,
  storeDocuments,
  type WholeDocument,
} from "../records/documents.js";
import { RECORDS, type RecordOperations } from "../records/index.js";
import type { IndexedChunks } from "../search-index.js";
import type { Tx } from "../tx.js";
import { claimTask } from "./claim-task.js";
import type { AnalyzedChunks } from "./search-index/analyzed-chunks.js";
import type { StoredBlock } from "./search-index/block-form.js";
import { writeCounters } from "./write-counters.js";
import type { Write } from "./write-queue.js";

/** The operations on the records, with those of which PostgreSQL has its own form. */
const POSTGRES_RECORDS: RecordOperations = {
  ...RECORDS,
  tasks: { ...RECORDS.tasks, claim: claimTask },
  transfer: { ...RECORDS.transfer, writeCounters },
};

/** Creates the operation with a name. */
export function recordOperation(name: OperationName, argument: unknown): (tx: Tx) => Operation<unknown> {
  const [noun, verb] = name.split(".") as [keyof RecordOperations, string];
  const operations: Readonly<Record<string, (tx: Tx, argument: never) => Operation<unknown>>> = POSTGRES_RECORDS[noun];
  return (tx) => operations[verb]!(tx, argument as never);
}

/** An operation on one document that can run for several documents at once. */
interface SetOperation {
  readonly run: (tx: Tx, items: readonly never[]) => Operation<readonly unknown[]>;
  /** Returns the sequence number of the document. */
  readonly documentOf: (item: never) => number;
}

/** The operations that an ingest runs for each document. */
const SET_OPERATIONS: Partial<Record<OperationName, SetOperation>> = {
  "documents.move": { run: moveDocuments, documentOf: ({ seq }: DocumentMove) => seq },
  "documents.openGeneration": { run: openGenerations, documentOf: ({ seq }: GenerationStart) => seq },
  "documents.store": { run: storeDocuments, documentOf: ({ publication }: WholeDocument) => publication.seq },
};

/** Computes the words of chunks. */
type Analyze = (batch: IndexedChunks) => StoredBlock | Promise<StoredBlock>;

/** Creates the write of the operation with a name. The words of chunks are computed before its transaction. */
export function recordWrite(name: OperationName, argument: unknown, analyze: Analyze): Write<unknown> {
  if (name === "documents.writeChunks") {
    const analyzed = withWords(argument as NewChunks, analyze);
    return { operation: recordOperation(name, analyzed.chunks), ...analyzed.preparation };
  }
  if (name === "documents.store") {
    const { content, publication } = argument as WholeDocument;
    const analyzed = withWords(content, analyze);
    return { ...setWrite(name, { content: analyzed.chunks, publication }), ...analyzed.preparation };
  }
  return setWrite(name, argument);
}

function setWrite(name: OperationName, argument: unknown): Write<unknown> {
  const operation = recordOperation(name, argument);
  const set = SET_OPERATIONS[name];
  if (!set) return { operation };
  const { run, documentOf } = set;
  return { operation, set: { run: run as SetRun, item: argument, key: documentOf(argument as never) } };
}

type SetRun = NonNullable<Write<unknown>["set"]>["run"];

/** Returns chunks with their words, which are there once the preparation has ended, if there is one. */
function withWords<Chunks extends IndexedChunks>(
  given: Chunks,
  analyze: Analyze,
): { readonly chunks: Chunks & AnalyzedChunks; readonly preparation: Pick<Write<unknown>, "preparation"> } {
  const chunks = { ...given, part: null as StoredBlock | null };
  const part = analyze(given);
  if (!(part instanceof Promise)) return { chunks: { ...chunks, part }, preparation: {} };
  const preparation = part.then((words) => {
    chunks.part = words;
  });
  return { chunks, preparation: { preparation } };
}
