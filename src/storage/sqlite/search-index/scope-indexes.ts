import { loadKernel } from "../../../vector-scan/load-kernel.js";
import { recordBytes } from "../../../vector-scan/record.js";
import { ScopeIndex } from "../../../vector-scan/scope-index.js";
import type { DerivedCodes } from "../../../vector-scan/segment.js";
import { ScanThreads } from "../scan-helpers.js";
import type { Statements } from "../statements.js";
import { documentRecords } from "./document-records.js";
import { readVectorFiles } from "./read-vector-files.js";
import { changesSince } from "./scope-changes.js";

/** Limits of scanning. */
export interface ScanLimits {
  /** Total memory of a thread's indexes; 0 for none. */
  readonly memoryBytes: number;
  /** Scopes with fewer chunks have no index. */
  readonly fromChunks: number;
  /** Smaller indexes are scanned by their SQ8 codes alone: 4-bit codes or sign bits would save no time. */
  readonly deriveFrom: number;
  /** Helper threads of a large scan, at most 3. */
  readonly helpers: number;
}

interface IndexedScope {
  readonly id: number;
  readonly epoch: number;
  readonly chunks: number;
}

interface Entry {
  readonly index: ScopeIndex;
  readonly epoch: number;
}

/** If an index has to grow by more than this share and count, it is faster to build it again, mostly from files. */
const MAX_ADDED = { share: 0.125, records: 4096 };

/** The share of the memory that derived codes may use, to leave space for more records. */
const DERIVED_SHARE = 0.9;

const kept = new WeakMap<Statements, Map<number, Entry>>();
const threadsByConnection = new WeakMap<Statements, ScanThreads>();
/** Connections whose indexes derive codes when idle. */
const waiting = new WeakSet<Statements>();
/** By scope, the number of chunks at which its index was too large. It is not built again with as many. */
const tooLarge = new WeakMap<Statements, Map<number, number>>();

/** Starts the helper threads, if there is enough to scan, so that they are ready for the first search. */
export function prepareScans(db: Statements, helpers: number): void {
  if (helpers === 0 || !db.get("SELECT 1 FROM vector_files LIMIT 1")) return;
  scanThreadsOf(db, helpers).prepare();
}

/**
 * The index of a scope in this snapshot, cached by the connection; `null` if the scope is too small for one, or larger
 * than the memory limit. Evicts the least recently searched.
 */
export function scopeIndex(
  db: Statements,
  scope: IndexedScope,
  dimensions: number,
  limits: ScanLimits,
): ScopeIndex | null {
  const makeKernel = loadKernel();
  const entries = kept.get(db) ?? new Map<number, Entry>();
  kept.set(db, entries);
  const entry = entries.get(scope.id);
  entries.delete(scope.id);
  if (makeKernel === null || scope.chunks < limits.fromChunks) return null;
  if (entry?.epoch === scope.epoch && entry.index.dimensions === dimensions) {
    entries.set(scope.id, entry);
    return entry.index;
  }
  const changed = entry?.index.dimensions === dimensions ? changesSince(db, scope, entry.epoch) : null;
  const known = entry && changed && !isFarBehind(db, scope, entry.index, changed) ? entry.index : null;
  const refused = tooLarge.get(db) ?? new Map<number, number>();
  tooLarge.set(db, refused);
  if (!known) {
    const expected = scope.chunks * recordBytes(dimensions);
    if (expected > limits.memoryBytes || scope.chunks >= (refused.get(scope.id) ?? Number.POSITIVE_INFINITY))
      return null;
    forgetGone(db, entries);
    makeRoom(db, entries, limits.memoryBytes - expected);
  }
  const threads = scanThreadsOf(db, limits.helpers);
  if (entry && !known) threads.forget();
  const index = known ?? new ScopeIndex(makeKernel, dimensions, scope.chunks, threads);
  try {
    const made = known ? update(db, index, changed!) : make(db, scope, index, { threads, limits });
    if (!made) return null;
  } catch (error) {
    // Out of memory: the vectors themselves are searched instead.
    if (error instanceof RangeError) return null;
    throw error;
  }
  if (index.bytes > limits.memoryBytes) {
    threads.forget();
    // Memory of dead records and derived codes is only released with the whole index.
    if (known) return scopeIndex(db, scope, dimensions, limits);
    refused.set(scope.id, scope.chunks);
    return null;
  }
  refused.delete(scope.id);
  makeRoom(db, entries, limits.memoryBytes - index.bytes);
  entries.set(scope.id, { index, epoch: scope.epoch });
  return index;
}

/** Derives 4-bit codes or sign bits for an index, if memory allows, one segment at a time between requests. */
export function deriveWhenIdle(db: Statements, scopeId: number, what: DerivedCodes, limits: ScanLimits): void {
  if (waiting.has(db)) return;
  waiting.add(db);
  setImmediate(() => {
    waiting.delete(db);
    if (!db.connection.open) return;
    const entries = kept.get(db)!;
    const left = limits.memoryBytes * DERIVED_SHARE - usedBy(entries);
    if (entries.get(scopeId)?.index.derive(what, left)) deriveWhenIdle(db, scopeId, what, limits);
  });
}

function scanThreadsOf(db: Statements, helpers: number): ScanThreads {
  const threads = threadsByConnection.get(db) ?? new ScanThreads(helpers);
  threadsByConnection.set(db, threads);
  return threads;
}

/** Drops an inconsistent index. */
export function forgetScopeIndex(db: Statements, scopeId: number): void {
  const entries = kept.get(db);
  if (entries) drop(db, entries, scopeId);
}

function drop(db: Statements, entries: Map<number, Entry>, scopeId: number): void {
  entries.delete(scopeId);
  threadsByConnection.get(db)?.forget();
}

/** Scope ids are never reused: a removed scope is not searched again. */
function forgetGone(db: Statements, entries: Map<number, Entry>): void {
  for (const id of [...entries.keys()]) if (!db.get("SELECT 1 FROM scopes WHERE id = ?", id)) drop(db, entries, id);
}

function usedBy(entries: ReadonlyMap<number, Entry>): number {
  let used = 0;
  for (const { index } of entries.values()) used += index.bytes;
  return used;
}

function makeRoom(db: Statements, entries: Map<number, Entry>, bytes: number): void {
  let used = usedBy(entries);
  for (const [id, { index }] of entries) {
    if (used <= bytes) return;
    used -= index.bytes;
    drop(db, entries, id);
  }
}

/** Fills an empty index; false if the scope has vectors of other dimensions. */
function make(
  db: Statements,
  scope: IndexedScope,
  index: ScopeIndex,
  { threads, limits }: { readonly threads: ScanThreads; readonly limits: ScanLimits },
): boolean {
  const unfiled = readVectorFiles(db, scope.id, index, { threads, maxBytes: limits.memoryBytes });
  return add(db, index, unfiled);
}

/** Whether so many records were published since that the index is built again. */
function isFarBehind(db: Statements, scope: IndexedScope, index: ScopeIndex, changed: ReadonlySet<number>): boolean {
  const most = Math.max(MAX_ADDED.records, index.length * MAX_ADDED.share);
  // The scope also counts chunks that are not published yet.
  if (db.connection.memory || scope.chunks - index.length <= most) return false;
  const { added } = db.get<{ added: number }>(
    `SELECT count(*) AS added FROM json_each(?) j CROSS JOIN documents d ON d.seq = j.value AND d.generation > 0
     CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation`,
    JSON.stringify([...changed]),
  )!;
  return added > most;
}

/** False if the scope has vectors of other dimensions. */
function update(db: Statements, index: ScopeIndex, changed: ReadonlySet<number>): boolean {
  // A change may also concern the vectors of the same generation.
  index.remove(changed);
  return add(db, index, [...changed]);
}

/** Adds the records of published documents, computed from their vectors. False if they have other dimensions. */
function add(db: Statements, index: ScopeIndex, documents: readonly number[]): boolean {
  for (const { document, dimensions, records } of documentRecords(db, documents)) {
    if (dimensions !== index.dimensions) return false;
    index.append(document, records);
  }
  return true;
}
