import { loadKernel } from "../../../vector-scan/load-kernel.js";
import { recordBytes } from "../../../vector-scan/record.js";
import { ScopeIndex } from "../../../vector-scan/scope-index.js";
import type { DerivedCodes } from "../../../vector-scan/segment.js";
import { ScanThreads } from "../scan-helpers.js";
import type { Statements } from "../statements.js";
import { documentRecords } from "./document-records.js";
import type { SearchedScope } from "./find-scope.js";
import { readVectorFiles } from "./read-vector-files.js";
import { changesSince } from "./scope-changes.js";

/** Limits of vector indexes. */
export interface ScanLimits {
  /** The maximum memory of a thread's indexes; 0 for no indexes. */
  readonly memoryBytes: number;
  /** Scopes with fewer chunks have no index. */
  readonly minChunks: number;
  /** Indexes with fewer records are scanned by their SQ8 codes alone: 4-bit codes or sign bits would save no time. */
  readonly minDerivedRecords: number;
  /** The number of helper threads of a large scan, at most 3. */
  readonly helpers: number;
}

type IndexedScope = Pick<SearchedScope, "id" | "epoch" | "chunks" | "vector_set">;

/** A cached index. */
interface Entry {
  readonly index: ScopeIndex;
  /** The epoch of the scope that the index matches. */
  readonly epoch: number;
  /** The set of the index's vectors. */
  readonly vectorSet: number;
}

/** An index that would grow by more than both this share and this number of records is faster to rebuild from files. */
const MAX_ADDED = { share: 0.125, records: 4096 };

/** The share of the memory up to which codes are derived, to leave space for more records. */
const DERIVED_SHARE = 0.9;

const entriesByConnection = new WeakMap<Statements, Map<number, Entry>>();
const threadsByConnection = new WeakMap<Statements, ScanThreads>();
/** The connections that will derive codes when idle. */
const derivingConnections = new WeakSet<Statements>();
/** By scope id, the number of chunks for which the index was too large. It is built again only for fewer chunks. */
const oversizedScopes = new WeakMap<Statements, Map<number, number>>();

/** Starts the helper threads if there are vector files, so that the threads are ready for the first search. */
export function prepareScans(db: Statements, helpers: number): void {
  if (helpers === 0 || !db.get("SELECT 1 FROM vector_files LIMIT 1")) return;
  scanThreadsOf(db, helpers).prepare();
}

/**
 * Returns the vector index of a scope in this snapshot. Updates the cached index or builds a new one, and evicts the
 * least recently searched ones. Returns `null` if the scope is too small, too large for the memory limit or has vectors
 * of other dimensions, or if scanning is not available.
 */
export function loadScopeIndex(
  db: Statements,
  scope: IndexedScope,
  dimensions: number,
  limits: ScanLimits,
): ScopeIndex | null {
  const makeKernel = loadKernel();
  const entries = entriesByConnection.get(db) ?? new Map<number, Entry>();
  entriesByConnection.set(db, entries);
  const cached = entries.get(scope.id);
  const entry = cached?.vectorSet === scope.vector_set ? cached : undefined;
  entries.delete(scope.id);
  if (makeKernel === null || scope.chunks < limits.minChunks) return null;
  if (entry?.epoch === scope.epoch && entry.index.dimensions === dimensions) {
    entries.set(scope.id, entry);
    return entry.index;
  }
  const changed = entry?.index.dimensions === dimensions ? changesSince(db, scope, entry.epoch) : null;
  const updatable = entry && changed && !isOutdated(db, scope, entry.index, changed) ? entry.index : null;
  const oversized = oversizedScopes.get(db) ?? new Map<number, number>();
  oversizedScopes.set(db, oversized);
  if (!updatable) {
    const expected = scope.chunks * recordBytes(dimensions);
    if (expected > limits.memoryBytes || scope.chunks >= (oversized.get(scope.id) ?? Number.POSITIVE_INFINITY))
      return null;
    dropRemovedScopes(db, entries);
    evict(db, entries, limits.memoryBytes - expected);
  }
  const threads = scanThreadsOf(db, limits.helpers);
  if (cached && !updatable) threads.forget();
  const index = updatable ?? new ScopeIndex(makeKernel, dimensions, scope.chunks, threads);
  try {
    const isComplete = updatable ? update(db, scope, index, changed!) : build(db, scope, index, { threads, limits });
    if (!isComplete) return null;
  } catch (error) {
    // There is not enough memory for the index, so the vectors themselves are searched.
    if (error instanceof RangeError) return null;
    throw error;
  }
  if (index.bytes > limits.memoryBytes) {
    threads.forget();
    // Memory of dead records and derived codes is only released with the whole index.
    if (updatable) return loadScopeIndex(db, scope, dimensions, limits);
    oversized.set(scope.id, scope.chunks);
    return null;
  }
  oversized.delete(scope.id);
  evict(db, entries, limits.memoryBytes - index.bytes);
  entries.set(scope.id, { index, epoch: scope.epoch, vectorSet: scope.vector_set });
  return index;
}

/** Derives 4-bit codes or sign bits for an index, if memory allows, one segment at a time between requests. */
export function deriveWhenIdle(db: Statements, scopeId: number, codes: DerivedCodes, limits: ScanLimits): void {
  if (derivingConnections.has(db)) return;
  derivingConnections.add(db);
  setImmediate(() => {
    derivingConnections.delete(db);
    if (!db.connection.open) return;
    const entries = entriesByConnection.get(db)!;
    const available = limits.memoryBytes * DERIVED_SHARE - usedBytes(entries);
    if (entries.get(scopeId)?.index.derive(codes, available)) deriveWhenIdle(db, scopeId, codes, limits);
  });
}

function scanThreadsOf(db: Statements, helpers: number): ScanThreads {
  const threads = threadsByConnection.get(db) ?? new ScanThreads(helpers);
  threadsByConnection.set(db, threads);
  return threads;
}

/** Drops a scope's index, if there is one, for example because it is inconsistent. */
export function dropScopeIndex(db: Statements, scopeId: number): void {
  const entries = entriesByConnection.get(db);
  if (entries) drop(db, entries, scopeId);
}

function drop(db: Statements, entries: Map<number, Entry>, scopeId: number): void {
  entries.delete(scopeId);
  threadsByConnection.get(db)?.forget();
}

/** Drops the indexes of removed scopes. Scope ids are never reused, so these indexes are not needed again. */
function dropRemovedScopes(db: Statements, entries: Map<number, Entry>): void {
  for (const id of [...entries.keys()]) if (!db.get("SELECT 1 FROM scopes WHERE id = ?", id)) drop(db, entries, id);
}

/** Returns the memory of a connection's indexes, in bytes. */
export function scanMemoryOf(db: Statements): number {
  return usedBytes(entriesByConnection.get(db) ?? new Map());
}

function usedBytes(entries: ReadonlyMap<number, Entry>): number {
  let used = 0;
  for (const { index } of entries.values()) used += index.bytes;
  return used;
}

/** Drops the least recently searched indexes until the others fit in `maxBytes`. */
function evict(db: Statements, entries: Map<number, Entry>, maxBytes: number): void {
  let used = usedBytes(entries);
  for (const [id, { index }] of entries) {
    if (used <= maxBytes) return;
    used -= index.bytes;
    drop(db, entries, id);
  }
}

/** Fills an empty index. Returns false if the scope has vectors of other dimensions. */
function build(
  db: Statements,
  scope: IndexedScope,
  index: ScopeIndex,
  { threads, limits }: { readonly threads: ScanThreads; readonly limits: ScanLimits },
): boolean {
  const unfiled = readVectorFiles(db, scope, index, { threads, maxBytes: limits.memoryBytes });
  return add(db, scope, index, unfiled);
}

/** Returns whether so many records were published since the last update that rebuilding the index is faster. */
function isOutdated(db: Statements, scope: IndexedScope, index: ScopeIndex, changed: ReadonlySet<number>): boolean {
  const maxAdded = Math.max(MAX_ADDED.records, index.length * MAX_ADDED.share);
  // The scope also counts chunks that are not published yet.
  if (db.connection.memory || scope.chunks - index.length <= maxAdded) return false;
  const { added } = db.get<{ added: number }>(
    `SELECT count(*) AS added FROM json_each(?) j CROSS JOIN documents d ON d.seq = j.value AND d.generation > 0
     CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation`,
    JSON.stringify([...changed]),
  )!;
  return added > maxAdded;
}

/** Reads changed documents again. Returns false if they have vectors of other dimensions. */
function update(db: Statements, scope: IndexedScope, index: ScopeIndex, changed: ReadonlySet<number>): boolean {
  // Also removes unchanged generations, since their vectors may have changed.
  index.remove(changed);
  return add(db, scope, index, [...changed]);
}

/** Computes and adds the records of published documents. Returns false if their vectors have other dimensions. */
function add(db: Statements, scope: IndexedScope, index: ScopeIndex, documents: readonly number[]): boolean {
  for (const { document, dimensions, records } of documentRecords(db, scope.vector_set, documents)) {
    if (dimensions !== index.dimensions) return false;
    index.append(document, records);
  }
  return true;
}
