import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { serveMetrics } from "lorebase/http";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../support/knowledge-base.js";
import { knownDatabaseOf, queryNow, tablesNow } from "../support/postgres-directories.js";
import { parsePrometheusText } from "../support/prometheus-text.js";
import { newOrganization, startServer, type TestServer } from "./support/test-server.js";

let server: TestServer;
let key: string;
beforeAll(async () => {
  server = await startServer({ metrics: true });
  key = (await server.kb.apiKeys.create({ name: "scraper", scope: "admin" })).key;
});
afterAll(() => server.close());

const get = (path: string, bearer: string | null = key, url = server.url) =>
  fetch(`${url}${path}`, { headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` } });

it("metrics are given to admin keys of the default organization alone", async () => {
  const { kb } = server;
  const reader = await kb.apiKeys.create({ name: "reader", scope: "write" });
  const other = await newOrganization(server);
  const statuses = [];
  for (const bearer of [null, "lb_wrong", reader.key, other.key, key]) {
    statuses.push((await get("/metrics", bearer)).status);
  }
  expect(statuses).toEqual([401, 401, 403, 403, 200]);
  const answer = await get("/metrics");
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(parsePrometheusText(await answer.text()).value("lorebase_database_up")).toBe(1);
});

it("requests are counted by the template of their route, method and status", async () => {
  await server.kb.namespaces.create({ name: "Tide tables", slug: "tides" });
  const search = (query: unknown) =>
    fetch(`${server.url}/v1/namespace/tides/search`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-tenant-id": "Wilhelmina" },
      body: JSON.stringify({ query, mode: "keyword" }),
    });
  for (let count = 0; count < 4; count++) expect((await search("spring tide")).status).toBe(200);
  expect((await search(7)).status).toBe(422);
  expect((await get("/v1/namespace/Wilhelmina/nothing/here")).status).toBe(404);

  const text = await (await get("/metrics")).text();
  const metrics = parsePrometheusText(text);
  const route = "/v1/namespace/:namespaceId/search";
  expect(metrics.value("lorebase_http_requests_total", { method: "POST", route, status: "200" })).toBe(4);
  expect(metrics.value("lorebase_http_requests_total", { method: "POST", route, status: "422" })).toBe(1);
  expect(metrics.value("lorebase_http_requests_total", { route: "none", status: "404" })).toBe(1);
  expect(metrics.value("lorebase_http_request_duration_seconds_count", { method: "POST", route })).toBe(5);
  expect(metrics.value("lorebase_searches_total", { mode: "keyword", outcome: "ok" })).toBe(4);
  for (const name of ["Wilhelmina", "tides", "tide", "org_", key]) expect(text).not.toContain(name);
});

it("a port of its own has metrics and probes without a key, and nothing else", async () => {
  const own = await serveMetrics(server.kb, { port: 0 });
  onTestFinished(() => own.close());
  const answers = [];
  for (const path of ["/healthz", "/readyz", "/metrics", "/v1/namespace", "/"]) {
    answers.push((await get(path, null, own.url)).status);
  }
  expect(answers).toEqual([200, 200, 200, 404, 404]);
  expect((await fetch(`${own.url}/metrics`, { method: "POST" })).status).toBe(404);
  expect(parsePrometheusText(await (await get("/metrics", null, own.url)).text()).types.size).toBeGreaterThan(20);
});

it("metrics that are not collected are refused with the option to set", async () => {
  const other = await startServer();
  onTestFinished(() => other.close());
  const { key: admin } = await other.kb.apiKeys.create({ name: "scraper", scope: "admin" });
  const answer = await get("/metrics", admin, other.url);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("lorebase serve --metrics");
});

it("probes answer without a key, and write nothing to the database", async () => {
  const version = versionOf(server.directory);
  await server.kb.drain();
  const before = version();
  for (const [path, status] of [
    ["/healthz", "ok"],
    ["/health", "ok"],
    ["/readyz", "ready"],
    ["/ready", "ready"],
  ] as const) {
    const answer = await get(path, null);
    expect([answer.status, await answer.json()]).toEqual([200, { status }]);
  }
  expect(version()).toEqual(before);
});

it("a knowledge base that can't be opened is alive, but not ready", async () => {
  const kb = openKnowledgeBase({ metrics: true });
  const own = await serveMetrics(kb, { port: 0, onError: () => {} });
  onTestFinished(() => own.close());
  await kb.close();
  const statuses = [];
  for (const path of ["/healthz", "/readyz", "/metrics"]) statuses.push((await get(path, null, own.url)).status);
  expect(statuses).toEqual([200, 503, 500]);
});

/** Returns a function whose result changes with each write to the database of a directory. */
function versionOf(directory: string): () => unknown {
  const url = knownDatabaseOf(directory);
  if (url) {
    // Each write makes a new version of its row. Heartbeats go on.
    const versions = tablesNow(url)
      .filter((table) => table !== "processes")
      .map((table) => `SELECT '${table}' AS name, xmin::text, ctid::text FROM ${table}`);
    return () => queryNow(url, `${versions.join(" UNION ALL ")} ORDER BY name, xmin, ctid`);
  }
  const database = new Sqlite(join(directory, "lorebase.db"), { readonly: true });
  onTestFinished(() => void database.close());
  // Changes with each commit of another connection.
  return () => database.pragma("data_version", { simple: true });
}
