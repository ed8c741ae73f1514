import { memoryVectorStore, vectorStoreContract } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDirectory } from "#dist/storage/open-directory.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import type { VectorRecord, VectorStore } from "../../src/interfaces/vector-store.js";
import type { Storage } from "../../src/storage/storage.js";
import type { Scope } from "../../src/types.js";
import { writeDatabase } from "../support/database.js";
import { newPinecone, newTurbopuffer } from "../support/hosted-stores.js";
import { indexVectorStore } from "../support/index-vector-store.js";
import { seedVectors } from "../support/seed-vectors.js";

describe("memory", () => {
  for (const { name, run } of vectorStoreContract(async () => memoryVectorStore())) it(name, run);
});

describe.each([
  ["compared by SQL", { memoryBytes: 0 }],
  ["scanned", { minChunks: 0 }],
] as const)("search index in SQLite, %s", (_, scan) => {
  let database: Storage;
  let directory: Awaited<ReturnType<typeof openDirectory>>;
  beforeAll(async () => {
    directory = await openDirectory(":memory:");
    database = await openSqliteStorage(directory.path, scan);
  });
  afterAll(() => database.close().then(() => directory.remove()));

  const create = async () => {
    const tables = ["vectors", "chunk_metadata", "chunks", "documents", "ingest_jobs", "scopes", "namespaces"];
    writeDatabase(
      directory.path,
      tables.map((table) => ({ sql: `DELETE FROM ${table}` })),
    );
    return indexVectorStore(database.index);
  };
  const seed = (scope: Scope, records: readonly VectorRecord[]) => seedVectors(directory.path, scope, records);
  for (const { name, run } of vectorStoreContract(create, { seed })) it(name, run);
});

describe("Pinecone", () => {
  for (const { name, run } of vectorStoreContract(async () => (await newPinecone()).store, { ties: "ids" }))
    it(name, run);
});

describe.each(["error", "nothing"] as const)("Turbopuffer, unknown attributes: %s", (unknownAttributes) => {
  const create = async () => (await newTurbopuffer({ unknownAttributes })).store;
  for (const { name, run } of vectorStoreContract(create, { ties: "ids" })) it(name, run);
});

/** Each store here violates one requirement, and the contract must find it. */
describe("finds a store that", () => {
  const failedCases = async (change: (store: VectorStore) => Partial<VectorStore>) => {
    const names: string[] = [];
    const cases = vectorStoreContract(async () => {
      const store = memoryVectorStore();
      return { ...store, ...change(store) };
    });
    for (const { name, run } of cases) await run().catch(() => names.push(name));
    return names.join("; ");
  };

  it.each<[string, RegExp, (store: VectorStore) => Partial<VectorStore>]>([
    [
      "reverses the order",
      /nearest first/,
      (store) => ({ query: async (...call) => (await store.query(...call)).toReversed() }),
    ],
    [
      "returns distances",
      /similarities/,
      (store) => ({
        query: async (...call) =>
          (await store.query(...call)).map(({ id, similarity }) => ({ id, similarity: 1 - similarity })),
      }),
    ],
    [
      "filters after topK",
      /filters before/,
      (store) => ({
        query: async (scope, query) => {
          const nearest = await store.query(scope, { ...query, filter: null });
          const matching = await store.query(scope, { ...query, topK: 1000 });
          return nearest.filter(({ id }) => matching.some((match) => match.id === id));
        },
      }),
    ],
    [
      "ignores tenants",
      /isolates namespaces and tenants/,
      (store) => ({
        upsert: (scope, ...rest) => store.upsert({ ...scope, tenantId: null }, ...rest),
        query: (scope, ...rest) => store.query({ ...scope, tenantId: null }, ...rest),
        delete: (scope, ...rest) => store.delete({ ...scope, tenantId: null }, ...rest),
      }),
    ],
    [
      "deletes every generation",
      /deletes one generation/,
      (store) => ({
        delete: (scope, target) => store.delete(scope, target === "all" ? target : { documentId: target.documentId }),
      }),
    ],
    ["keeps what is deleted", /deletes a document/, () => ({ delete: async () => {} })],
  ])("%s", async (_, name, change) => expect(await failedCases(change)).toMatch(name));
});
