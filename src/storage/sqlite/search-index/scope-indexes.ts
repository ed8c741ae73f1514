import { loadKernel } from "../../../vector-scan/load-kernel.js";
import { recordBytes } from "../../../vector-scan/record.js";
import { ScopeIndex } from "../../../vector-scan/scope-index.js";
import type { Derived } from "../../../vector-scan/segment.js";
import { ScanThreads } from "../scan-helpers.js";
import type { Statements } from "../statements.js";
import { VectorFiles } from "./read-vector-files.js";
import { changesSince } from "./scope-changes.js";
import { encodeAll, type Records, storedVectors } from "./vector-records.js";
import { floats, runsOf } from "./vector-runs.js";

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

/** With this many new documents, all records of the scope are read at once instead of document by document. */
const READ_ALL_FROM = 1000;

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
 * than
 * the memory limit. Evicts the least recently searched.
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
  const known = entry?.index.dimensions === dimensions ? entry : null;
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
  const index = known?.index ?? new ScopeIndex(makeKernel, dimensions, scope.chunks, threads);
  try {
    const made = known ? bringUpToDate(db, scope, index, known.epoch) : make(db, scope, index, { threads, limits });
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
export function deriveWhenIdle(db: Statements, scopeId: number, what: Derived, limits: ScanLimits): void {
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
  const files = VectorFiles.open(db, scope.id, index.dimensions);
  try {
    let published: Map<number, number> | null = null;
    const wanted = () => (published ??= publishedOf(db, scope.id));
    const { bytes } = files;
    const except = bytes > 0 && bytes <= limits.memoryBytes ? files.read(db, { index, threads, wanted }) : [];
    return readAll(db, scope.id, wanted(), { index, except });
  } finally {
    files.close();
  }
}

/** False if the scope has vectors of other dimensions. */
function bringUpToDate(db: Statements, scope: IndexedScope, index: ScopeIndex, since: number): boolean {
  const changed = changesSince(db, scope, since);
  const published = changed === null ? publishedOf(db, scope.id) : publishedAmong(db, changed);
  const stale = new Set<number>();
  for (const document of changed ?? index.documents) {
    const generation = published.get(document);
    // A change may also concern the vectors of the same generation.
    if (changed !== null || generation === undefined || !index.has(document, generation)) stale.add(document);
  }
  index.remove(stale);
  for (const [document, generation] of published) if (index.has(document, generation)) published.delete(document);
  if (published.size < READ_ALL_FROM) return readSome(db, scope.id, published, index);
  return readAll(db, scope.id, published, { index, except: [] });
}

/**
 * The published generation of each document of a scope, from an index alone. Reading them as one text takes a third of
 * the
 * time of as many rows.
 */
function publishedOf(db: Statements, scopeId: number): Map<number, number> {
  const published = new Map<number, number>();
  const sql = `SELECT generation, json_group_array(seq) AS documents FROM documents
    WHERE scope_id = ? AND generation > 0 GROUP BY generation`;
  for (const { generation, documents } of db.all<{ generation: number; documents: string }>(sql, scopeId))
    for (const document of JSON.parse(documents) as readonly number[]) published.set(document, generation);
  return published;
}

function publishedAmong(db: Statements, documents: ReadonlySet<number>): Map<number, number> {
  const sql = `SELECT d.seq, d.generation FROM json_each(?) j CROSS JOIN documents d ON d.seq = j.value WHERE d.generation > 0`;
  return new Map(db.rows<[number, number]>(sql, JSON.stringify([...documents])));
}

/** Adds records to an index; returns false if they have other dimensions. */
function add(index: ScopeIndex, document: number, generation: number, { dimensions, records }: Records): boolean {
  if (dimensions !== index.dimensions) return false;
  index.append(document, generation, records);
  return true;
}

const PARTS = "SELECT document_seq, generation, dimensions, records FROM vector_records WHERE scope_id = ?";
const BLOCKS = "SELECT dimensions, documents, generations, records FROM vector_blocks WHERE scope_id = ?";
type PartRow = [document: number, generation: number, dimensions: number, records: Uint8Array];
type BlockRow = [dimensions: number, documents: Uint8Array, generations: Uint8Array, records: Uint8Array];

function readSome(db: Statements, scopeId: number, wanted: Map<number, number>, index: ScopeIndex): boolean {
  for (const [document, generation] of wanted) {
    const only = new Map([[document, generation]]);
    const parts = db.rows<PartRow>(`${PARTS} AND document_seq = ?`, scopeId, document);
    if (!readParts(parts, only, index)) return false;
    const around = `${BLOCKS} AND first_document <= ? AND last_document >= ?`;
    if (!readBlocks(db.rows<BlockRow>(around, scopeId, document, document), only, index)) return false;
  }
  return readMissing(db, wanted, index);
}

/** @param except Blocks whose records the index already has. */
function readAll(
  db: Statements,
  scopeId: number,
  wanted: Map<number, number>,
  { index, except }: { readonly index: ScopeIndex; readonly except: readonly number[] },
): boolean {
  const others = `${BLOCKS} AND seq NOT IN (SELECT value FROM json_each(?))`;
  if (!readBlocks(db.rows<BlockRow>(others, scopeId, JSON.stringify(except)), wanted, index)) return false;
  if (!readParts(db.rows<PartRow>(PARTS, scopeId), wanted, index)) return false;
  return readMissing(db, wanted, index);
}

function readParts(rows: Iterable<PartRow>, wanted: Map<number, number>, index: ScopeIndex): boolean {
  for (const [document, generation, dimensions, records] of rows) {
    if (wanted.get(document) !== generation) continue;
    if (!add(index, document, generation, { dimensions, records })) return false;
  }
  return true;
}

function readBlocks(rows: Iterable<BlockRow>, wanted: Map<number, number>, index: ScopeIndex): boolean {
  const size = recordBytes(index.dimensions);
  for (const [dimensions, documentBlob, generationBlob, records] of rows) {
    const documents = floats(documentBlob);
    const generations = floats(generationBlob);
    // Usually a whole block is wanted, and added as one piece.
    let from = 0;
    let to = 0;
    const take = () => {
      if (from === to) return;
      index.appendAll(
        documents.subarray(from, to),
        generations.subarray(from, to),
        records.subarray(from * size, to * size),
      );
    };
    for (const run of runsOf({ documents, generations })) {
      if (wanted.get(run.document) === run.generation) {
        if (dimensions !== index.dimensions) return false;
      } else {
        take();
        from = run.to;
      }
      to = run.to;
    }
    take();
  }
  return true;
}

/** Derives records from the vectors, if a document has none: derived data may be missing. */
function readMissing(db: Statements, wanted: Map<number, number>, index: ScopeIndex): boolean {
  for (const [document, generation] of wanted) {
    if (index.has(document, generation)) continue;
    for (const records of encodeAll(storedVectors(db, document, generation)))
      if (!add(index, document, generation, records)) return false;
  }
  return true;
}
