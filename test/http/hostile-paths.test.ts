import { afterAll, beforeAll, expect, it } from "vitest";
import { ROUTES } from "#dist/http/routes/index.js";
import { failureFault } from "./support/failure-fault.js";
import { EXAMPLES, paramsOf, requestTo } from "./support/requests.js";
import { authorized, send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { makeWorld, type World } from "./support/world.js";

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startServer();
  world = await makeWorld(server);
  await server.kb.drain();
});
afterAll(() => server.close());

const HOSTILE: readonly (readonly [string, string])[] = [
  ["parent directories", "ns_../.."],
  ["parent directories, escaped", "%2e%2e%2f"],
  ["parent directories, escaped twice", "%252e%252e%252f"],
  ["parent directories with backslashes", "..\\..\\x"],
  ["NUL", "ns_%00"],
  ["a line break", "ns_%0d%0aX-Injected:%201"],
  ["10 kB", "a".repeat(10_000)],
  ["an emoji", "%F0%9F%98%80"],
  ["a composed letter", "%C3%A9"],
  ["a decomposed letter", "e%CC%81"],
  ["right to left", "%E2%80%AEns_1"],
  ["full-width dots", "%EF%BC%8E%EF%BC%8E%EF%BC%8F"],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
  ["toString", "toString"],
  ["nothing", ""],
  ["an extra slash", "/"],
  ["a path parameter", "x;a=b"],
  ["a quote", "x'--"],
  ["SQL", "x'%20OR%20'1'='1"],
  ["a wildcard", "%25"],
  ["an incomplete escape", "%"],
  ["an invalid escape", "%zz"],
  ["a byte that is not UTF-8", "%ff"],
  ["a lone surrogate", "%ED%A0%80"],
  ["a column", "null"],
  ["a question mark, escaped", "%3Fperiod"],
  ["a fragment, escaped", "%23x"],
  ["an @ and a colon", "user:pass@host"],
  ["brackets and pipes", "<>|{}^`"],
];

const cases = ROUTES.filter(({ operationId }) => EXAMPLES[operationId]).flatMap((route) =>
  paramsOf(route).map((param) => ({ route, param, operationId: route.operationId })),
);

it.each(cases)("$operationId finds nothing for an invalid $param", async ({ route, param }) => {
  const before = tablesOf(server.directory);
  const headers = authorized(world.organization.key);
  for (const [what, value] of HOSTILE) {
    const answer = await send(server.url, requestTo(route, { ...world, [param]: value }, headers));
    expect([400, 403, 404, 422], `${what}: ${answer.status} ${answer.text}`).toContain(answer.status);
    expect(failureFault(answer), what).toBe(null);
    expect(answer.headers["x-injected"]).toBe(undefined);
  }
  expect(tablesOf(server.directory)).toEqual(before);
});

it.each([
  "/v1/namespace/",
  "//v1/namespace",
  "/v1//namespace",
  "/V1/namespace",
  "/v1/Namespace",
  "/v1/namespace;a=b",
  "/v1/namespace%2f",
  "/v1%2fnamespace",
  "/v1/namespace.json",
  "/v1/namespace/../../etc/passwd",
  "/v1/openapi.json/",
  "/./v1/nothing",
  "/",
  "/*",
  "/%00",
])("there is nothing at %s", async (path) => {
  const answer = await send(server.url, { path, headers: authorized(world.organization.key) });
  expect(answer.status).toBe(404);
  expect(failureFault(answer)).toBe(null);
});

it("a path is normalised like any URL before it is matched", async () => {
  const headers = authorized(world.organization.key);
  for (const path of ["/v1/x/../namespace", "/./v1/namespace", "/v1/%2e%2e/v1/namespace"])
    expect((await send(server.url, { path, headers })).status).toBe(200);
});
