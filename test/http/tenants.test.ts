import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "#dist/http/routes/index.js";
import type { Route } from "../../src/http/route.js";
import { expectFailure } from "./support/envelope.js";
import { KEY_ROUTES, paramsOf, requestTo } from "./support/requests.js";
import { authorized, send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { ABSENT, type Ids, makeWorld, type World } from "./support/world.js";

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startServer();
  world = await makeWorld(server);
  await server.kb.drain();
});
afterAll(() => server.close());

type Tenant = "T1" | "T2" | null;
const idsOf = (tenant: Tenant): Ids => (tenant === null ? world : { ...world, ...world.tenants[tenant] });
const headersOf = (tenant: string | null) => ({
  ...authorized(world.organization.key),
  ...(tenant === null ? {} : { "x-tenant-id": tenant }),
});
const ask = (route: Route, ids: Ids, tenant: string | null) =>
  send(server.url, requestTo(route, ids, headersOf(tenant)));
const routeOf = (operationId: string) => ROUTES.find((route) => route.operationId === operationId)!;

const routes = ROUTES.filter(({ tenant }) => tenant);
const recordRoutes = routes.filter((route) => paramsOf(route).length > 1);
const named = (list: readonly Route[]) => list.map((route) => [route.operationId, route] as const);

it("restricts jobs, documents, search, health, golden questions, evaluations and clicks only", () => {
  const others = routes.filter((route) => !recordRoutes.includes(route)).map(({ operationId }) => operationId);
  expect(others.sort()).toEqual([
    ...["addClick", "addGoldenQuestion", "chat", "countFacets", "createIngestJob", "findSimilar"],
    ...["generateGoldenQuestions", "importGoldenQuestions", "listClicks", "listDocuments", "listEvaluations"],
    ...["listGoldenQuestions"],
    ...[
      "listHealthFindings",
      "listIngestJobs",
      "listPassages",
      "makeGoldenQuestionsFromClicks",
      "makeGoldenQuestionsFromFeedback",
    ],
    ...["reportHealth", "runEvaluation", "search"],
  ]);
  for (const { operationId, path, tenant } of KEY_ROUTES)
    expect([operationId, tenant === true]).toEqual([
      operationId,
      /\/(?:ingest-jobs|documents|search|similar|passages|facets|chat|health|golden-questions|evaluations|clicks)(?:\/|$)/.test(
        path,
      ),
    ]);
});

describe("another tenant's record does not exist", () => {
  it.each(named(recordRoutes))("for %s", async (_, route) => {
    const before = tablesOf(server.directory);
    for (const [asker, owner] of [
      ["T1", "T2"],
      ["T2", "T1"],
      ["T1", null],
      ["t1", "T1"],
      ["T3", "T1"],
    ] as const) {
      const ids = idsOf(owner);
      const answer = await ask(route, ids, asker);
      const never = await ask(route, { ...ABSENT, namespaceId: world.namespaceId }, asker);
      expectFailure(answer, 404);
      const [, record] = paramsOf(route);
      expect(answer.text.replaceAll(ids[record!], ABSENT[record!])).toBe(never.text);
    }
    expect(tablesOf(server.directory)).toEqual(before);
  });
});

describe("an invalid tenant is refused", () => {
  const INVALID = ["", "a b", "a-b", "ä", "a".repeat(65), "T1,T2", "T1;", "../T2", "%54%31", "T1'--"];

  it.each(named(routes))("by %s", async (operationId, route) => {
    const before = tablesOf(server.directory);
    for (const tenant of INVALID) expectFailure(await ask(route, world, tenant), 400);
    const { method, path, body } = requestTo(route, world, {});
    const twice = { ...headersOf(null), "x-tenant-id": ["T1", "T1"] };
    const sent = { path, headers: twice, ...(method && { method }), ...(body && { body }) };
    expectFailure(await send(server.url, sent), 400);
    expect(tablesOf(server.directory), operationId).toEqual(before);
  });

  it("with the header's name, its value and the rule", async () => {
    const { text } = await ask(routeOf("search"), world, "acme corp");
    const { message } = JSON.parse(text).error;
    expect(message).toContain("x-tenant-id: must be 1 to 64 of the characters A-Z, a-z and 0-9");
    expect(message).toContain('got "acme corp"');
  });

  it("and ignored by routes without tenants", async () => {
    for (const operationId of ["listNamespaces", "getNamespace", "getHosting", "warmUpNamespace", "createUpload"]) {
      const answer = await ask(routeOf(operationId), world, "no tenant!");
      expect(answer.status).toBeLessThan(300);
    }
  });
});

it("lists are those of the tenant; without one, those of all tenants", async () => {
  for (const operationId of ["listIngestJobs", "listDocuments"]) {
    const tenantsOf = async (tenant: string | null) => {
      const { text } = await ask(routeOf(operationId), world, tenant);
      return JSON.parse(text).data.map(({ tenantId }: { tenantId: string | null }) => tenantId);
    };
    expect(await tenantsOf("T1")).toEqual(["T1"]);
    expect(await tenantsOf("T2")).toEqual(["T2"]);
    expect(await tenantsOf("T3")).toEqual([]);
    expect((await tenantsOf(null)).sort()).toEqual(["T1", "T2", null]);
  }
  const { client, namespaceId, tenants } = world;
  const { data } = await client.tenant("T1").listDocuments(namespaceId, { ingestJobId: tenants.T2.jobId });
  expect(data).toEqual([]);
});

it("search covers the partition of the tenant, or the default one", async () => {
  const found = async (tenant: string | null) => {
    const { text } = await ask(routeOf("search"), world, tenant);
    return JSON.parse(text).data.map(({ metadata }: { metadata: { documentId: string } }) => metadata.documentId);
  };
  expect(await found("T1")).toEqual([world.tenants.T1.documentId]);
  expect(await found("T2")).toEqual([world.tenants.T2.documentId]);
  expect(await found("T3")).toEqual([]);
  for (const id of await found(null)) expect(id).toBe(world.documentId);
});

it("a job belongs to the tenant that it was created for", async () => {
  const route = routeOf("createIngestJob");
  for (const tenant of ["T1", "T4", null]) {
    const { status, text } = await ask(route, world, tenant);
    expect([status, JSON.parse(text).data.tenantId]).toEqual([201, tenant]);
  }
  await server.kb.drain();
});

describe("the tenant and the owner of the namespace can read a record", () => {
  // Deletions come last, documents before their jobs.
  const ordered = recordRoutes
    .toReversed()
    .sort((a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"));
  // The evaluation to compare with is one that doesn't exist.
  const reached: Readonly<Record<string, number>> = {
    ...{ cancelIngestJob: 409, getFileDownloadUrl: 400, compareEvaluations: 404 },
  };

  it.each(named(ordered))("for %s", async (operationId, route) => {
    const status = reached[operationId] ?? 200;
    const owns = await ask(route, idsOf("T1"), "T1");
    expect([owns.status, owns.text]).toEqual([status, expect.any(String)]);
    await server.kb.drain();
    const owner = await ask(route, idsOf("T2"), null);
    expect([owner.status, owner.text]).toEqual([status, expect.any(String)]);
    await server.kb.drain();
  });
});
