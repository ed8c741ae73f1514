import { existsSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { parseFilter } from "#dist/filter.js";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { removeVectors } from "#dist/storage/sqlite/search-index/remove-vectors.js";
import { activeVectorSet, recordChange } from "#dist/storage/sqlite/search-index/scope-changes.js";
import { dropScopeIndex } from "#dist/storage/sqlite/search-index/scope-indexes.js";
import {
  maintainVectorFiles,
  reconcileVectorFiles,
  writeVectorFiles,
} from "#dist/storage/sqlite/search-index/vector-files.js";
import { vectorSearch } from "#dist/storage/sqlite/search-index/vector-search.js";
import { writeVectors } from "#dist/storage/sqlite/search-index/write-vectors.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { vectorTable } from "#dist/storage/vector-sets.js";
import { bytesToVector, vectorToBytes } from "#dist/util/float32-bytes.js";
import { ScopeIndex } from "#dist/vector-scan/scope-index.js";
import { oddVectors } from "../support/odd-vectors.js";
import { propertyRuns } from "../support/property-runs.js";
import { unit } from "../support/scan-records.js";

/**
 * One connection writes; four read, as those of other processes do: by SQL, by scan, by scan with room for one scope, and by a scan that
 * begins anew each time.
 */
let directory: string;
let writer: Statements;
let readers: {
  readonly bySql: Statements;
  readonly scanning: Statements;
  readonly tight: Statements;
  readonly anew: Statements;
};
const LIMITS = {
  bySql: { memoryBytes: 0, minChunks: 0, minDerivedRecords: 0, helpers: 0 },
  scanning: { memoryBytes: 2 ** 30, minChunks: 0, minDerivedRecords: 0, helpers: 0 },
  tight: { memoryBytes: 100_000, minChunks: 0, minDerivedRecords: 0, helpers: 0 },
  anew: { memoryBytes: 2 ** 30, minChunks: 0, minDerivedRecords: 0, helpers: 0 },
};
const TENANTS = [null, "acme"] as const;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "lorebase-test-"));
  const path = join(directory, "lorebase.db");
  const connection = openConnection(path, "writer");
  connection.pragma("synchronous = OFF");
  migrate(connection, MIGRATIONS);
  writer = new Statements(connection);
  const reader = () => new Statements(openConnection(path, "reader"));
  readers = { bySql: reader(), scanning: reader(), tight: reader(), anew: reader() };
  writer.exec("INSERT INTO organizations (id, name, created_at) VALUES ('org_1', 'Owner', 0)");
});
afterAll(() => {
  for (const { connection } of [writer, ...Object.values(readers)]) connection.close();
  rmSync(directory, { recursive: true, force: true });
});

const place = { tenant: fc.constantFrom(0, 1), document: fc.nat(5) };
const some = fc.array(fc.nat(59), { maxLength: 8, size: "max" });
const step = fc.oneof(
  fc.record({ kind: fc.constant("publish" as const), ...place, vectors: some, purges: fc.boolean() }),
  fc.record({ kind: fc.constant("abandon" as const), ...place, vectors: some }),
  fc.record({ kind: fc.constant("replace" as const), ...place, vectors: some }),
  fc.record({ kind: fc.constant("hide" as const), ...place }),
  fc.record({ kind: fc.constant("remove" as const), ...place }),
  fc.record({
    kind: fc.constant("file" as const),
    ...place,
    fileBytes: fc.constantFrom(1, 300),
    maxFiles: fc.constantFrom(1, 32),
  }),
  fc.record({ kind: fc.constant("reconcile" as const), ...place }),
  fc.record({ kind: fc.constant("exchange" as const), ...place, drops: fc.boolean() }),
  fc.record({ kind: fc.constant("lose" as const), ...place, which: fc.nat(5), cut: fc.boolean() }),
  fc.record({
    kind: fc.constant("search" as const),
    ...place,
    query: fc.nat(60),
    topK: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 12 })),
    bucket: fc.option(fc.nat(2)),
  }),
);
const course = fc.record({
  given: oddVectors({ dimensions: fc.integer({ min: 2, max: 40 }) }),
  steps: fc.array(step, { minLength: 4, maxLength: 40, size: "max" }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

let namespaces = 0;

it("scans return what SQL returns, after any sequence of changes, exchanged sets and written, missing and truncated files", () => {
  let scanned = 0;
  const fromFiles = vi.spyOn(ScopeIndex.prototype, "reserve");
  fc.assert(
    fc.property(course, ({ given, steps }) => {
      const space = newSpace();
      const unitVectors = given.vectors.map(unit);
      for (const one of steps) {
        if (one.kind === "search") scanned += compare(space, [...unitVectors, unit(given.query)], one) ? 1 : 0;
        else change(space, unitVectors, one);
      }
      for (const tenant of [0, 1] as const)
        compare(space, [unit(given.query)], { kind: "search", tenant, document: 0, query: 0, topK: 10, bucket: null });
    }),
    { numRuns: propertyRuns(40) },
  );
  expect(scanned).toBeGreaterThan(30);
  expect(fromFiles.mock.calls.filter(([records]) => records > 0).length).toBeGreaterThan(2);
});

it("sorts nearly equal vectors by their distances", () => {
  const seeds = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(seeds, { minLength: 20, maxLength: 60, size: "max" }), (offsets) => {
      const space = newSpace();
      const vectors = offsets.map((offset) =>
        unit(Float32Array.from(offset, (value, index) => index + 1 + value * 1e-5)),
      );
      for (const from of [0, 10, 20, 30, 40, 50])
        change(space, vectors.slice(from, from + 10), {
          kind: "publish",
          tenant: 0,
          document: from / 10,
          vectors: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].slice(0, Math.max(0, vectors.length - from)),
          purges: false,
        });
      for (const query of [0, 7, 13])
        compare(space, vectors, { kind: "search", tenant: 0, document: 0, query, topK: 3, bucket: null });
    }),
    { numRuns: propertyRuns(10) },
  );
});

interface Space {
  readonly namespaceId: string;
  readonly scopeIds: readonly number[];
}

function newSpace(): Space {
  const namespaceId = `ns_${namespaces++}`;
  writer.run(
    `INSERT INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
     VALUES (?, 'org_1', '', ?, ?, '{}', '{}', 0)`,
    namespaceId,
    namespaceId,
    namespaceId,
  );
  writer.run(
    "INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at) VALUES (?, ?, 'COMPLETED', '{}', 0)",
    `job_${namespaceId}`,
    namespaceId,
  );
  const scopeIds = TENANTS.map(
    (tenant) =>
      writer.get<{ id: number }>(
        "INSERT INTO scopes (namespace_id, tenant_id) VALUES (?, ?) RETURNING id",
        namespaceId,
        tenant,
      )!.id,
  );
  return { namespaceId, scopeIds };
}

/** True where the scanning reader did scan. */
function compare(space: Space, vectors: readonly Float32Array[], search: Extract<Step, { kind: "search" }>): boolean {
  const vector = vectors[search.query % vectors.length]!;
  const filter = search.bucket === null ? null : parseFilter({ bucket: search.bucket });
  const scope = { organizationId: "org_1", namespaceId: space.namespaceId, tenantId: TENANTS[search.tenant]! };
  const vectorSet = activeVectorSet(writer, space.scopeIds[search.tenant]!);
  const ask = (name: keyof typeof readers) =>
    vectorSearch(readers[name], {
      scope,
      vectorSet,
      vector: vectorToBytes(vector),
      limit: search.topK,
      filter,
      required: null,
      withPassages: false,
      approximate: false,
      limits: LIMITS[name],
    }).matches;
  const expected = ask("bySql");
  let sorted = false;
  const all = readers.scanning.all.bind(readers.scanning);
  readers.scanning.all = (sql, ...parameters) => {
    sorted ||= sql.includes("ORDER BY distance");
    return all(sql, ...parameters);
  };
  const found = ask("scanning");
  readers.scanning.all = all;
  expect(found).toEqual(expected);
  expect(ask("tight")).toEqual(expected);
  dropScopeIndex(readers.anew, space.scopeIds[search.tenant]!);
  expect(ask("anew")).toEqual(expected);
  // Only a vector of zeros leaves it to SQL.
  expect(sorted).toBe(vector.every((value) => value === 0));
  return !sorted;
}

function change(space: Space, vectors: readonly Float32Array[], step: Exclude<Step, { kind: "search" }>): void {
  const scopeId = space.scopeIds[step.tenant]!;
  if (step.kind === "file") {
    writeVectorFiles(writer, scopeId, step);
    return;
  }
  if (step.kind === "reconcile") {
    reconcileVectorFiles(writer);
    return;
  }
  if (step.kind === "exchange") {
    exchange(scopeId, step.drops);
    return;
  }
  if (step.kind === "lose") {
    loseFile(scopeId, step);
    return;
  }
  const id = `doc_${space.namespaceId}_${step.tenant}_${step.document}`;
  const known = writer.get<Document>("SELECT seq, generation, last_generation AS last FROM documents WHERE id = ?", id);
  const target = { organizationId: "org_1", namespaceId: space.namespaceId, tenantId: TENANTS[step.tenant]! };
  if (step.kind === "hide") {
    if (known) publish(scopeId, known.seq, 0);
  } else if (step.kind === "remove") {
    removeVectors(writer, { scope: target, target: { documentId: id } });
  } else if (step.kind === "replace") {
    if (known && known.generation > 0) writeChunks(id, known.generation, pick(vectors, step.vectors), true);
  } else {
    const document = known ?? addDocument(space, step, id);
    const generation = document.last + 1;
    writer.run("UPDATE documents SET last_generation = ? WHERE seq = ?", generation, document.seq);
    writeChunks(id, generation, pick(vectors, step.vectors), false);
    if (step.kind === "abandon") return;
    publish(scopeId, document.seq, generation);
    if (step.purges)
      removeVectors(writer, { scope: target, target: { documentId: id, generation: document.generation } });
  }
}

/** Completes the other set of vectors, and uses it. Maintenance may drop a file of the former one. */
function exchange(scopeId: number, drops: boolean): void {
  const former = activeVectorSet(writer, scopeId);
  const missing = writer.all<{ id: string; generation: number; ordinal: number; vector: Uint8Array }>(
    `SELECT d.id, c.generation, c.ordinal, v.vector FROM ${vectorTable(former)} v JOIN chunks c ON c.seq = v.chunk_seq
     JOIN documents d ON d.seq = c.document_seq LEFT JOIN ${vectorTable(1 - former)} o ON o.chunk_seq = c.seq
     WHERE c.scope_id = ? AND o.chunk_seq IS NULL`,
    scopeId,
  );
  const vectors = missing.map(({ id: documentId, generation, ordinal, vector }) => {
    return { documentId, generation, ordinal, vector: vectorToBytes(bytesToVector(vector).slice().reverse()) };
  });
  writeVectors(writer, { vectors, vectorSet: 1 - former });
  writer.run("UPDATE scopes SET vector_set = ?, epoch = epoch + 1 WHERE id = ?", 1 - former, scopeId);
  if (drops) maintainVectorFiles(writer, { shouldReconcile: false });
}

/** As a copy of the directory may leave one out, or cut it off. */
function loseFile(scopeId: number, { which, cut }: { which: number; cut: boolean }): void {
  const names = writer.column<string>("SELECT name FROM vector_files WHERE scope_id = ?", scopeId);
  const path = join(directory, "scan", names[which % names.length] ?? "");
  if (names.length === 0 || !existsSync(path)) return;
  if (cut) truncateSync(path, 100);
  else rmSync(path);
}

interface Document {
  readonly seq: number;
  readonly generation: number;
  readonly last: number;
}

function addDocument(space: Space, { tenant, document }: { tenant: number; document: number }, id: string): Document {
  return writer.get<Document>(
    `INSERT INTO documents (id, ingest_job_id, namespace_id, tenant_id, scope_id, item, status, config, file_size, mime_type, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 'COMPLETED', '{}', 0, '', 0) RETURNING seq, generation, last_generation AS last`,
    id,
    `job_${space.namespaceId}`,
    space.namespaceId,
    TENANTS[tenant]!,
    space.scopeIds[tenant]!,
    tenant * 10 + document,
  )!;
}

function publish(scopeId: number, documentSeq: number, generation: number): void {
  writer.run("UPDATE documents SET generation = ? WHERE seq = ?", generation, documentSeq);
  recordChange(writer, { scopeId, documentSeq });
}

function writeChunks(id: string, generation: number, vectors: readonly Float32Array[], again: boolean): void {
  for (const ordinal of vectors.keys()) {
    if (again) continue;
    const chunk = writer.get<{ seq: number; scope_id: number }>(
      `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, text, headings, metadata, tokens, start_offset, end_offset, stemming)
       SELECT scope_id, seq, ?, ?, '', '[]', '{}', 0, 0, 0, 1 FROM documents WHERE id = ? RETURNING seq, scope_id`,
      generation,
      ordinal,
      id,
    )!;
    writer.run("INSERT INTO chunk_metadata VALUES (?, 'bucket', 'n', ?, ?)", chunk.scope_id, ordinal % 3, chunk.seq);
  }
  const written = vectors.map((vector, ordinal) => ({
    documentId: id,
    generation,
    ordinal,
    vector: vectorToBytes(vector),
  }));
  const { scope_id } = writer.get<{ scope_id: number }>("SELECT scope_id FROM documents WHERE id = ?", id)!;
  const vectorSet = activeVectorSet(writer, scope_id);
  // In two calls, as the batches of a large document come.
  writeVectors(writer, { vectors: written.slice(0, 2), vectorSet });
  writeVectors(writer, { vectors: written.slice(2), vectorSet });
}

function pick(vectors: readonly Float32Array[], indexes: readonly number[]): readonly Float32Array[] {
  return indexes.map((index) => vectors[index % vectors.length]!);
}
