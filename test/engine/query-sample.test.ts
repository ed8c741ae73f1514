import { afterAll, expect, it, vi } from "vitest";
import { recordUnanswered } from "../../src/health/unanswered.js";
import type { Access } from "../../src/storage/records/access.js";
import { openEngine } from "../support/open-engine.js";

const { engine, organization, close } = await openEngine({
  retention: { sampledQueryDays: 1, unansweredQuestionDays: 1 },
});
const random = vi.spyOn(Math, "random");
afterAll(async () => {
  random.mockRestore();
  await close();
});

it("writes only the queries that are among the lowest once a sample is full", async () => {
  const { id: namespaceId } = await organization().namespaces.create({
    ...{ name: "Log", slug: "log", embeddingConfig: { provider: "MANAGED_LEXICAL" } },
  });
  const access = { namespaceId, tenantId: null } as Access;
  const { sampledQueries } = engine.storage;
  const add = vi.spyOn(sampledQueries, "add");
  const ask = (query: string, drawn: number) => {
    random.mockReturnValueOnce(drawn);
    engine.querySample.add(access, query);
    return engine.pendingWrites.ended();
  };
  await ask("first", 0.9);
  const now = engine.now();
  const filling = { namespaceId, tenantId: null, query: "filling", now, expiresAt: now + 3_600_000, keep: 1000 };
  await Promise.all(Array.from({ length: 998 }, (_, draw) => sampledQueries.add({ ...filling, draw })));
  add.mockClear();
  // While there is room, every query is kept.
  await ask("second", 0.95);
  await ask("higher", 0.96);
  expect(add).toHaveBeenCalledTimes(1);
  await ask("low", 0.1);
  await ask("between", 0.92);
  expect(add).toHaveBeenCalledTimes(2);
  const kept = await sampledQueries.list({ namespaceId, tenantId: null, now: engine.now(), limit: 1000 });
  expect([kept.length, ...kept.slice(-2).map(({ query }) => query)]).toEqual([1000, "low", "first"]);
});

const OTHER = { namespaceId: "ns_other", tenantId: null } as Access;

it("warns if a query can't be added, and lets the search go on", async () => {
  const warnings: string[] = [];
  using _ = engine.events.on("warning", ({ message }) => warnings.push(message));
  vi.spyOn(engine.storage.sampledQueries, "add").mockRejectedValueOnce(new Error("The disk is full."));
  engine.querySample.add(OTHER, "lamp");
  await engine.pendingWrites.ended();
  expect(warnings).toEqual(["A query was not added to the sample: The disk is full."]);
});

it("leaves out queries and unanswered questions while too many wait for the database", async () => {
  const warnings: string[] = [];
  using _ = engine.events.on("warning", ({ message }) => warnings.push(message));
  let release = () => {};
  const held = new Promise<null>((resolve) => {
    release = () => resolve(null);
  });
  const add = vi.spyOn(engine.storage.sampledQueries, "add").mockClear().mockReturnValue(held);
  for (let query = 0; query < 102; query++) engine.querySample.add(OTHER, `${query}`);
  recordUnanswered(engine, OTHER, "lamp", "search");
  expect(add).toHaveBeenCalledTimes(100);
  expect(warnings).toEqual([
    "A query was not added to the sample, nor are later ones: 100 writes wait for the database.",
  ]);
  release();
  await engine.pendingWrites.ended();
  engine.querySample.add(OTHER, "later");
  expect(add).toHaveBeenCalledTimes(101);
});
