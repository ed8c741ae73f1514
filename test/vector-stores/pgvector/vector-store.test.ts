import fc from "fast-check";
import { type Filter, matchesFilter, parseFilter } from "lorebase";
import { fakeEmbedder, vectorStoreContract } from "lorebase/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { scopeName } from "#dist/vector-stores/hosted/scope-name.js";
import { findNearest } from "#dist/vector-stores/pgvector/find-nearest.js";
import { createHnswIndex } from "#dist/vector-stores/pgvector/hnsw-index.js";
import { IndexBuilds } from "#dist/vector-stores/pgvector/index-builds.js";
import { RecentChoices } from "#dist/vector-stores/pgvector/recent-choices.js";
import { type PgvectorStoreOptions, pgvectorStore } from "#dist/vector-stores/pgvector/vector-store.js";
import type { VectorRecord } from "../../../src/interfaces/vector-store.js";
import type { Metadata, Scope } from "../../../src/types.js";
import type { Session, Sessions } from "../../../src/vector-stores/pgvector/sessions.js";
import { pgvectorCampaign } from "../../campaigns/pgvector-campaign.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../../support/knowledge-base.js";
import { oddFilters, oddMetadata } from "../../support/odd-metadata.js";
import { PgvectorServer } from "../../support/pgvector.js";
import { providerOf } from "../../support/providers.js";

const SCOPE: Scope = { organizationId: "org_1", namespaceId: "ns_1", tenantId: "acme" };
const NEAREST = { vector: Float32Array.of(1, 0, 0), topK: 10, filter: null };
const ALWAYS_INDEXED = { scopeVectors: 0, matchingVectors: 0 };

let server: PgvectorServer;
beforeAll(async () => {
  server = await PgvectorServer.start();
}, 120_000);
afterAll(() => server?.close());
beforeEach(() => server.empty());

function newStore(options: Partial<PgvectorStoreOptions> = {}) {
  const onWarning = (message: string) => expect.unreachable(message);
  return pgvectorStore({ provider: "MANAGED_PGVECTOR", sessions: server.sessions(), onWarning, ...options });
}

function record(n: number, metadata: Metadata = {}, vector = Float32Array.of(1, n, 0)): VectorRecord {
  const documentId = `doc_${String(n).padStart(3, "0")}`;
  return { id: `${documentId}.1.0`, documentId, generation: 1, vector, metadata: { ...metadata, documentId } };
}

function indexes() {
  return server.session.query<{ name: string; valid: boolean }>(
    `SELECT c.relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class c ON c.oid = indexrelid
     WHERE c.relname LIKE 'lorebase_vectors_hnsw%' ORDER BY 1`,
  );
}

describe.each([
  ["exactly", undefined],
  ["with an index", ALWAYS_INDEXED],
] as const)("searching %s", (_, exactLimits) => {
  const create = async () => {
    await server.empty();
    return newStore(exactLimits && { exactLimits });
  };
  for (const { name, run } of vectorStoreContract(create, { ties: "ids" })) it(name, run);
});

it("ends the preparation of a server that doesn't answer, and prepares again with the next call", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(AbortSignal.abort(new Error("late")));
  onTestFinished(() => timeout.mockRestore());
  const store = newStore();
  const error = await failureOf(() => store.upsert(SCOPE, [record(0)]));
  expect([error.code, error.retryable]).toEqual(["store_failed", true]);
  expect(error.message).toMatch("pgvector at postgres://pglite did not prepare its table within 10 s.");
  expect(timeout).toHaveBeenCalledWith(10_000);
  await store.upsert(SCOPE, [record(0)]);
});

it("limits the time of each statement of a search", async () => {
  const limits: unknown[] = [];
  const limited: Session = {
    query: async (sql, parameters) => {
      const found = server.session.query<never>(sql, parameters);
      if (sql.includes("FROM lorebase_vectors"))
        limits.push(...(await server.session.query("SELECT current_setting('statement_timeout') AS limit")));
      return found;
    },
  };
  const search = {
    scope: scopeName(SCOPE),
    dimensions: 3,
    direction: [1, 0, 0],
    topK: 10,
    condition: null,
  };
  const store = newStore();
  await store.upsert(SCOPE, [record(0)]);
  await createHnswIndex(server.session, 3);
  const sessions = server.sessions();
  const means = {
    exactLimits: ALWAYS_INDEXED,
    builds: new IndexBuilds(sessions, expect.unreachable, () => {}),
    choices: new RecentChoices(),
  };
  expect(await findNearest(limited, search, means)).toHaveLength(1);
  // It counts, asks the index, which has too few candidates, and compares all.
  expect(limits).toEqual(Array(3).fill({ limit: "1min" }));
});

it("filters as the oracle does", async () => {
  const store = newStore();
  const seed = Date.now();
  const metadata = fc.sample(oddMetadata, { numRuns: 40, seed });
  const records = metadata.map((own, index) =>
    record(index, { ...own, namespaceId: "ns_1", tenantId: "acme", sequence_number: index % 3 }),
  );
  await store.upsert(SCOPE, records);
  await fc.assert(
    fc.asyncProperty(oddFilters(["doc_003", "ns_1", "acme"]), async (given) => {
      const filter = parseFilter(given as Filter);
      const found = await store.query(SCOPE, { ...NEAREST, topK: 1000, filter });
      const expected = records.filter((each) => matchesFilter(filter, each.metadata));
      expect(found.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    }),
    { numRuns: 300, seed },
  );
}, 60_000);

describe("the index", () => {
  it("is created by the first search that needs it, and serves all scopes", async () => {
    const store = newStore({ exactLimits: { scopeVectors: 3, matchingVectors: 2 } });
    const other = { ...SCOPE, tenantId: "other" };
    await store.upsert(other, [record(0), record(1)]);
    await store.query(other, NEAREST);
    await store.upsert(SCOPE, [record(0), record(1, { rare: true }), record(2)]);
    await store.query(SCOPE, { ...NEAREST, filter: parseFilter({ rare: true }) });
    expect(await indexes()).toEqual([]);
    expect(await store.query(SCOPE, NEAREST)).toHaveLength(3);
    await store.query(SCOPE, NEAREST);
    expect(await indexes()).toEqual([{ name: "lorebase_vectors_hnsw_3", valid: true }]);
    await store.upsert(SCOPE, [record(3)]);
    expect(await store.query(SCOPE, NEAREST)).toHaveLength(4);
    expect(await store.query(other, NEAREST)).toHaveLength(2);
  });

  it("is built again if a build has failed", async () => {
    const store = newStore({ exactLimits: ALWAYS_INDEXED });
    await store.upsert(SCOPE, [record(0)]);
    await createHnswIndex(server.session, 3);
    await server.session.query(
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'lorebase_vectors_hnsw_3'::regclass",
    );
    expect(await store.query(SCOPE, NEAREST)).toHaveLength(1);
    await store.query(SCOPE, NEAREST);
    expect(await indexes()).toEqual([{ name: "lorebase_vectors_hnsw_3", valid: true }]);
  });

  it("is left to another process that is building one", async () => {
    const store = newStore();
    await store.upsert(SCOPE, [record(0)]);
    const builds = "(SELECT current_database() AS datname, 'lorebase_vectors'::regclass AS relid) builds";
    const during: Session = {
      query: (sql, parameters) =>
        server.session.query(sql.replace("FROM pg_stat_progress_create_index", `FROM ${builds}`), parameters),
    };
    expect(await createHnswIndex(during, 3)).toBe(false);
    expect(await indexes()).toEqual([]);
    const justBefore: Session = {
      query: async (sql, parameters) => {
        if (sql.startsWith("CREATE INDEX")) await server.session.query(sql);
        return server.session.query(sql, parameters);
      },
    };
    expect(await createHnswIndex(justBefore, 3)).toBe(false);
    expect(await createHnswIndex(server.session, 3)).toBe(true);
  });

  it("is looked for again after half a minute while another process builds it", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    const sessions: Sessions = {
      ...server.sessions(),
      withOwnConnection: (work) => {
        looks++;
        return work({ query: async <Row>() => [{ isValid: false, isBuilding: true }] as Row[] });
      },
    };
    const builds = new IndexBuilds(sessions, expect.unreachable, () => {});
    const startAgain = async (afterMs: number) => {
      vi.advanceTimersByTime(afterMs);
      builds.start(3);
      await builds.settle();
      return looks;
    };
    expect([await startAgain(0), await startAgain(29_999), await startAgain(1)]).toEqual([1, 1, 2]);
  });

  it("yields candidates, whose order is that of all digits", async () => {
    const store = newStore({ exactLimits: ALWAYS_INDEXED });
    // In 16 bits, the cosines of the first ones are 1.
    const records = Array.from({ length: 120 }, (_, n) => record(n, {}, Float32Array.of(1, n / 250, 0)));
    await store.upsert(SCOPE, records.toReversed());
    await createHnswIndex(server.session, 3);
    const found = await store.query(SCOPE, NEAREST);
    expect(found.map(({ id }) => id)).toEqual(records.slice(0, 10).map(({ id }) => id));
  });

  it("leaves a search to comparing all if it yields too few", async () => {
    const store = newStore({ exactLimits: ALWAYS_INDEXED });
    await store.upsert(
      SCOPE,
      Array.from({ length: 600 }, (_, n) => record(n, { far: n >= 588 })),
    );
    await createHnswIndex(server.session, 3);
    await server.session.query("SET hnsw.max_scan_tuples = 1");
    const found = await store.query(SCOPE, { ...NEAREST, filter: parseFilter({ far: true }) });
    await server.session.query("RESET hnsw.max_scan_tuples");
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => record(588 + n).id));
  });

  it("is reported if it can't be built, and searches stay exact", async () => {
    const warnings: string[] = [];
    const sessions = { ...server.sessions(), withOwnConnection: () => Promise.reject(new Error("no space")) };
    const onWarning = (message: string) => warnings.push(message);
    const store = newStore({ sessions, onWarning, exactLimits: ALWAYS_INDEXED });
    await store.upsert(SCOPE, [record(0), record(1)]);
    for (let n = 0; n < 3; n++) expect(await store.query(SCOPE, NEAREST)).toHaveLength(2);
    expect(warnings).toEqual([expect.stringMatching(/lorebase_vectors_hnsw_3 could not be created.* no space/)]);
  });

  it("isn't made for more dimensions than it can have", async () => {
    const store = newStore({ exactLimits: ALWAYS_INDEXED });
    const vector = Float32Array.from({ length: 4001 }, (_, index) => Math.sin(index));
    await store.upsert(SCOPE, [record(0, {}, vector)]);
    for (let n = 0; n < 2; n++) expect(await store.query(SCOPE, { ...NEAREST, vector })).toHaveLength(1);
    expect(await indexes()).toEqual([]);
  });
});

it.each([
  { vectors: 800, dimensions: 32, queries: 5 },
  { vectors: 60, dimensions: 2100, queries: 2 },
])(
  "finds the nearest of $vectors vectors with $dimensions dimensions",
  async (size) => {
    const seed = Date.now() % 1_000_000;
    const { figures } = await pgvectorCampaign({ sessions: server.sessions(), ...size, seed });
    for (const { search, percent, recall, fewest, expected } of figures) {
      const isAlone = search === "index alone";
      expect({ seed, search, percent, isClose: recall >= 0.95 }).toMatchObject({ isClose: true });
      expect(fewest, `${search}, ${percent} %`).toBe(isAlone ? fewest : expected);
    }
  },
  120_000,
);

it("keeps what a knowledge base has published, and nothing else", async () => {
  const store = newStore();
  const kb = openKnowledgeBase({
    embedders: [providerOf(fakeEmbedder({ dimensions: 8 }))],
    vectorStores: [providerOf(store)],
  });
  try {
    const config = { embeddingConfig: { provider: "FAKE" }, vectorStoreConfig: { provider: "MANAGED_PGVECTOR" } };
    const handle = await newNamespace(kb, config);
    const rows = async () =>
      (await server.session.query<{ rows: number }>("SELECT count(*)::int AS rows FROM lorebase_vectors"))[0]!.rows;
    await ingestTexts(handle, ["the lamp in fog", "a harbour wall"]);
    const replaced = { type: "TEXT", text: "fog at sea" } as const;
    await (await handle.ingest(replaced, { externalId: "sea" })).done();
    const again = { type: "TEXT", text: "no fog today" } as const;
    await (await handle.ingest(again, { externalId: "sea", onConflict: "replace" })).done();
    await kb.drain();
    expect(await rows()).toBe(3);
    const hits = await handle.search("no fog today", { mode: "semantic", topK: 10 });
    expect(hits.map(({ text }) => text)).toContain("no fog today");
    expect(hits).toHaveLength(3);
    expect(hits[0]!.score).toBeCloseTo(1, 5);
    const { items } = await handle.documents.list();
    await handle.documents.delete(items[0]!.id);
    await kb.drain();
    expect(await rows()).toBe(2);
    // Its vectors can be moved into the knowledge base, and back.
    const found = () => handle.search("no fog today", { mode: "semantic" });
    const before = (await found()).map(({ text }) => text);
    for (const [provider, vectors] of [
      ["MANAGED_SQLITE_VEC", 0],
      ["MANAGED_PGVECTOR", 2],
    ] as const) {
      await handle.reembedding.start({ vectorStoreConfig: { provider } }, { cutOver: "automatic" });
      expect(await handle.reembedding.wait()).toMatchObject({ state: "cut_over", error: null });
      await handle.reembedding.discard();
      await handle.reembedding.wait();
      expect([await rows(), (await found()).map(({ text }) => text)]).toEqual([vectors, before]);
    }
    await kb.namespaces.delete((await kb.namespaces.list()).items[0]!.id);
    await kb.drain();
    expect(await rows()).toBe(0);
  } finally {
    await kb.close();
  }
}, 60_000);
