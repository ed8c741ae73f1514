import { statSync } from "node:fs";
import { join } from "node:path";
import { type Embedder, type KnowledgeBase, KnowledgeBaseError } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { expect, it, onTestFinished } from "vitest";
import { Metrics } from "#dist/resources/metrics/metrics.js";
import { TimedReading } from "#dist/resources/metrics/timed-reading.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { onlySqlite } from "../support/only-sqlite.js";
import { openEngine } from "../support/open-engine.js";
import { type ParsedMetrics, parsePrometheusText } from "../support/prometheus-text.js";
import { providerOf } from "../support/providers.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const read = async (kb: KnowledgeBase): Promise<ParsedMetrics> => parsePrometheusText(await kb.metrics());

it("metrics agree with what was done, and name no tenant, namespace or query", async () => {
  const kb = openKnowledgeBase({ metrics: true });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  await ingestTexts(handle, ["The lamp is lit at dusk.", "The oil is changed at six."]);
  await handle.tenant("WilhelminaVermeer").ingest({ type: "TEXT", text: "A letter." }).done();
  for (let search = 0; search < 3; search++) await handle.search("lamp", { mode: "keyword" });
  await handle.tenant("WilhelminaVermeer").search("letter", { mode: "hybrid" });
  await handle.ask("When is the lamp lit?");
  const abort = new AbortController();
  const aborted = handle.search("oil", { mode: "semantic", signal: abort.signal });
  abort.abort();
  await expect(aborted).rejects.toThrow();
  await failureOf(() => handle.search("", { mode: "semantic" }));
  await kb.drain();

  const metrics = await read(kb);
  expect(metrics.value("lorebase_searches_total", { mode: "keyword", outcome: "ok" })).toBe(3);
  expect(metrics.value("lorebase_searches_total", { mode: "hybrid", outcome: "ok" })).toBe(2);
  expect(metrics.value("lorebase_searches_total", { mode: "semantic", outcome: "failed" })).toBe(0);
  expect(metrics.value("lorebase_search_duration_seconds_count", { mode: "keyword" })).toBe(3);
  expect(metrics.value("lorebase_search_duration_seconds_count", { mode: "hybrid" })).toBe(2);
  expect(metrics.value("lorebase_documents", { status: "COMPLETED" })).toBe(3);
  expect(metrics.value("lorebase_jobs", { status: "COMPLETED" })).toBe(2);
  expect(metrics.value("lorebase_jobs", { status: "FAILED" })).toBe(0);
  expect(metrics.value("lorebase_tasks", { kind: "ingest", state: "ready" })).toBe(0);
  expect(metrics.value("lorebase_oldest_ready_task_age_seconds")).toBe(0);
  expect(metrics.value("lorebase_database_up")).toBe(1);
  expect(metrics.value("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(metrics.value("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0);
  const labels = JSON.stringify(metrics.samples.map((sample) => sample.labels));
  for (const name of ["Wilhelmina", "space-", "ns_", "org_", "lamp"]) expect(labels).not.toContain(name);
});

it("metrics show what waits in the queue, and for how long", async () => {
  let now = new Date("2026-01-01T09:00:00Z");
  const kb = openKnowledgeBase({ metrics: true, worker: false, clock: () => now });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  await handle.ingest({ type: "TEXT", text: "The lamp is lit at dusk." });
  await handle.ingest({ type: "TEXT", text: "The oil is changed at six." });
  now = new Date("2026-01-01T09:01:30Z");
  const metrics = await read(kb);
  expect(metrics.value("lorebase_tasks", { kind: "ingest", state: "ready" })).toBe(2);
  expect(metrics.value("lorebase_jobs", { status: "QUEUED" })).toBe(2);
  expect(metrics.value("lorebase_oldest_ready_task_age_seconds")).toBeCloseTo(90, 0);
});

it("metrics count calls of providers, their retries and their circuits", async () => {
  const down = () => new KnowledgeBaseError("provider_failed", "down", { retryable: true });
  const hosted = { endpoint: "https://wilhelmina.example" };
  const working = fakeEmbedder({ provider: "REMOTE" });
  const embed: Embedder["embed"] = (texts, options) =>
    isDown ? Promise.reject(down()) : working.embed(texts, options);
  let isDown = false;
  const kb = openKnowledgeBase({
    metrics: true,
    embedders: [providerOf({ ...working, hosted, embed })],
    calls: { attempts: 20, backoffMs: 1 },
  });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb, { embeddingConfig: { provider: "REMOTE" } });
  await handle.search("lamp", { mode: "semantic" });
  const before = await read(kb);
  expect(before.value("lorebase_circuits", { provider: "REMOTE", state: "closed" })).toBe(1);
  isDown = true;
  await failureOf(() => handle.search("lamp", { mode: "semantic" }));

  const metrics = await read(kb);
  const call = { provider: "REMOTE", operation: "embed" };
  const counted = (name: string, more = {}) =>
    (metrics.value(name, { ...call, ...more }) ?? 0) - (before.value(name, { ...call, ...more }) ?? 0);
  expect(counted("lorebase_provider_calls_total", { outcome: "failed" })).toBe(1);
  expect(counted("lorebase_provider_calls_total", { outcome: "ok" })).toBe(0);
  expect(counted("lorebase_provider_call_duration_seconds_count")).toBe(1);
  // The circuit opens after eight failures.
  expect(counted("lorebase_provider_retries_total")).toBe(8);
  expect(metrics.value("lorebase_circuits", { provider: "REMOTE", state: "open" })).toBe(1);
  expect(metrics.value("lorebase_circuits", { provider: "REMOTE", state: "closed" })).toBe(0);
  expect(metrics.value("lorebase_searches_total", { mode: "semantic", outcome: "failed" })).toBe(1);
  expect(JSON.stringify(metrics.samples)).not.toContain("wilhelmina");
});

onlySqlite("a server has its own log and file")("metrics show the size of the log and of the file", async () => {
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({ metrics: true, directory, worker: false });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  await handle.ingest({ type: "TEXT", text: "The lamp is lit at dusk." });
  const metrics = await read(kb);
  expect(metrics.value("lorebase_wal_bytes")).toBe(statSync(join(directory, "lorebase.db-wal")).size);
  expect(metrics.value("lorebase_database_bytes")).toBe(statSync(join(directory, "lorebase.db")).size);
  expect(metrics.value("lorebase_scan_memory_bytes")).toBe(0);
});

it("metrics are refused unless they are collected", async () => {
  const kb = openKnowledgeBase();
  onTestFinished(() => kb.close());
  const { code, message } = await failureOf(() => kb.metrics());
  expect([code, message]).toEqual(["unsupported", expect.stringContaining("metrics: true")]);
});

it("metrics of a database that doesn't answer leave out what it would say", async () => {
  const { engine, close } = await openEngine();
  onTestFinished(close);
  const errors: unknown[] = [];
  engine.events.on("error", ({ error }) => errors.push(error));
  const summarize = () => Promise.reject(new Error("the database is away"));
  const storage = { ...engine.storage, tasks: { ...engine.storage.tasks, summarize } };
  const metrics = new Metrics({ ...engine, storage });
  onTestFinished(() => metrics.close());
  const parsed = parsePrometheusText(await metrics.text());
  expect(parsed.value("lorebase_database_up")).toBe(0);
  expect(parsed.samples.filter(({ name }) => name.startsWith("lorebase_tasks"))).toEqual([]);
  expect(parsed.value("lorebase_oldest_ready_task_age_seconds")).toBeUndefined();
  expect(parsed.value("process_resident_memory_bytes")).toBeGreaterThan(0);
  expect(errors).toEqual([new Error("the database is away")]);
});

it("counts by status cover a table in steps", async () => {
  const { storage, organization, close } = await openEngine();
  onTestFinished(close);
  const { namespaces, ingestJobs } = organization();
  const { id } = await namespaces.create({
    name: "Steps",
    slug: "steps",
    embeddingConfig: { provider: "MANAGED_LEXICAL" },
  });
  for (let job = 0; job < 5; job++) await ingestJobs.create(id, { payload: { type: "TEXT", text: `${job}` } });
  const steps = [];
  for (let after: number | null = 0; after !== null; ) {
    const { counts, next } = await storage.contents.countStatuses({ table: "ingest_jobs", after, span: 2 });
    steps.push(...counts);
    after = next;
  }
  expect(steps).toEqual([2, 2, 1].map((rows) => ({ status: "QUEUED", rows })));
});

it("a value is read once for all who ask meanwhile, and by nobody who waits longer than allowed", async () => {
  let reads = 0;
  let finish = (_: number) => {};
  const read = () => {
    reads++;
    return new Promise<number>((resolve) => {
      finish = resolve;
    });
  };
  const options = { waitMs: 10, intervalMs: 60_000, intervalFactor: 1 };
  const patient = new TimedReading(read, { ...options, whileReading: "last" }, () => {});
  expect(await Promise.all([patient.get(), patient.get()])).toEqual([null, null]);
  finish(7);
  expect([await patient.get(), await patient.get(), reads]).toEqual([7, 7, 1]);
});
