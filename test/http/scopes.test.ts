import { afterAll, beforeAll, expect, it } from "vitest";
import { expectFailure } from "./support/envelope.js";
import { KEY_ROUTES, requestTo } from "./support/requests.js";
import { authorized, send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { ABSENT, makeWorld, type World } from "./support/world.js";

const SCOPES = ["read", "write", "admin"] as const;
type Scope = (typeof SCOPES)[number];

let server: TestServer;
let world: World;
const keys = {} as Record<Scope, string>;
beforeAll(async () => {
  server = await startServer();
  world = await makeWorld(server);
  for (const scope of SCOPES) {
    const { apiKeys } = server.kb.organization(world.organization.id);
    keys[scope] = (await apiKeys.create({ name: scope, scope })).key;
  }
  await server.kb.drain();
});
afterAll(() => server.close());

const cases = KEY_ROUTES.flatMap((route) =>
  SCOPES.map((scope) => ({
    ...{ route, scope, operationId: route.operationId },
    enough: SCOPES.indexOf(scope) >= SCOPES.indexOf(route.access as Scope),
  })),
);

it("are three, and each is required by a route", () => {
  expect(new Set(KEY_ROUTES.map(({ access }) => access))).toEqual(new Set(SCOPES));
  const needs = Object.fromEntries(KEY_ROUTES.map(({ operationId, access }) => [operationId, access]));
  expect(needs).toMatchObject({ search: "read", createIngestJob: "write", deleteNamespace: "admin" });
  for (const { operationId, method, access } of KEY_ROUTES) {
    if (["DELETE", "PUT", "PATCH"].includes(method)) expect(access, operationId).not.toBe("read");
  }
});

it.each(cases.filter(({ enough }) => !enough))("$operationId is refused for $scope", async ({ route, scope }) => {
  const before = tablesOf(server.directory);
  const answer = await send(server.url, requestTo(route, world, authorized(keys[scope])));
  expect(expectFailure(answer, 403)).toContain(scope);
  // The response does not reveal whether the record exists.
  expect(expectFailure(await send(server.url, requestTo(route, ABSENT, authorized(keys[scope]))), 403)).toContain(
    scope,
  );
  expect(tablesOf(server.directory)).toEqual(before);
});

it.each(cases.filter(({ enough }) => enough))("$operationId is allowed for $scope", async ({ route, scope }) => {
  const answer = await send(server.url, requestTo(route, ABSENT, authorized(keys[scope])));
  // The server's metrics are for the default organization's keys.
  if (route.operationId === "metrics") expectFailure(answer, 403);
  else if (!route.path.includes(":")) expect(answer.status).toBe(route.status ?? 200);
  else expectFailure(answer, 404);
});
