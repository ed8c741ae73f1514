import { afterAll, beforeAll, expect, it } from "vitest";
import { expectFailure } from "./support/envelope.js";
import { KEY_ROUTES, requestTo } from "./support/requests.js";
import { type Sent, send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { newOrganization, startServer, type TestServer } from "./support/test-server.js";
import { makeWorld, type World } from "./support/world.js";

type Headers = NonNullable<Sent["headers"]>;

let server: TestServer;
let world: World;
let revoked: string;
let deleted: string;
beforeAll(async () => {
  server = await startServer();
  world = await makeWorld(server);
  const { apiKeys } = server.kb.organization(world.organization.id);
  const key = await apiKeys.create({ name: "Revoked", scope: "admin" });
  await apiKeys.delete(key.id);
  revoked = key.key;
  const gone = await newOrganization(server);
  await server.kb.organizations.delete(gone.id);
  deleted = gone.key;
  await server.kb.drain();
});
afterAll(() => server.close());

const variants: readonly (readonly [string, (key: string) => Headers])[] = [
  ["no header", () => ({})],
  ["an empty header", () => ({ authorization: "" })],
  ["Bearer alone", () => ({ authorization: "Bearer" })],
  ["Bearer and a space", () => ({ authorization: "Bearer " })],
  ["the key alone", (key) => ({ authorization: key })],
  ["another scheme", (key) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` })],
  ["another scheme with the key", (key) => ({ authorization: `Token ${key}` })],
  ["no space", (key) => ({ authorization: `Bearer${key}` })],
  ["two spaces", (key) => ({ authorization: `Bearer  ${key}` })],
  ["two headers", (key) => ({ authorization: [`Bearer ${key}`, `Bearer ${key}`] })],
  ["two keys", (key) => ({ authorization: `Bearer ${key}, Bearer ${key}` })],
  ["x-api-key", (key) => ({ "x-api-key": key })],
  ["a cookie", (key) => ({ cookie: `authorization=Bearer ${key}` })],
  ["proxy-authorization", (key) => ({ "proxy-authorization": `Bearer ${key}` })],
  ["an unknown key", () => ({ authorization: `Bearer lb_${"A".repeat(43)}` })],
  ["a truncated key", (key) => ({ authorization: `Bearer ${key.slice(0, -1)}` })],
  ["the key in upper case", (key) => ({ authorization: `Bearer ${key.toUpperCase()}` })],
  ["a long key", (key) => ({ authorization: `Bearer ${key.repeat(250)}` })],
  ["a quoted key", (key) => ({ authorization: `Bearer "${key}"` })],
  ["bytes that are not ASCII", () => ({ authorization: "Bearer \u00e4\u00ff" })],
  ["a revoked key", () => ({ authorization: `Bearer ${revoked}` })],
  ["the key of a deleted organization", () => ({ authorization: `Bearer ${deleted}` })],
];

it.each(KEY_ROUTES.map((route) => [route.operationId, route] as const))(
  "nobody comes in without a key: %s",
  async (_, route) => {
    const before = tablesOf(server.directory);
    const { key } = world.organization;
    const messages = new Set<string>();
    for (const [variant, headers] of variants) {
      const sent = requestTo(route, world, { "content-type": "application/json", ...(headers(key) as object) });
      const answer = await send(server.url, sent);
      expect(answer.headers["www-authenticate"], variant).toBe("Bearer");
      messages.add(expectFailure(answer, 401));
    }
    const bare = requestTo(route, world, { "content-type": "application/json" });
    for (const name of ["key", "api_key", "access_token", "authorization"]) {
      const path = `${bare.path}${bare.path.includes("?") ? "&" : "?"}${name}=${key}`;
      messages.add(expectFailure(await send(server.url, { ...bare, path }), 401));
    }
    // The response says what to send, and not what is wrong with the key.
    expect([...messages]).toEqual([expect.stringMatching(/Authorization: Bearer <API key>$/)]);
    expect(tablesOf(server.directory)).toEqual(before);
  },
);

it("an unknown path is reported only to callers with a key", async () => {
  for (const path of ["/v1/nothing", "/v1/namespace/", "/admin", "/v2/namespace", "//", "/v1/blobs", "/.env"]) {
    expectFailure(await send(server.url, { path }), 401);
    const headers = { authorization: `Bearer ${world.organization.key}` };
    expectFailure(await send(server.url, { path, headers }), 404);
  }
});

it("the scheme ignores case, and white space around the value is ignored", async () => {
  const { key } = world.organization;
  for (const authorization of [`bearer ${key}`, `BEARER ${key}`, `Bearer ${key}   `]) {
    const answer = await send(server.url, { path: "/v1/namespace", headers: { authorization } });
    expect(answer.status).toBe(200);
  }
});

it("a key of a megabyte exceeds the header limit", async () => {
  const authorization = `Bearer ${"A".repeat(1_000_000)}`;
  // The server disconnects during the request, or has answered before.
  const status = await send(server.url, { path: "/v1/namespace", headers: { authorization } }).then(
    (answer) => answer.status,
    (error: NodeJS.ErrnoException) => error.code,
  );
  expect([400, "ECONNRESET", "EPIPE"]).toContain(status);
  expect((await send(server.url, { path: "/health" })).status).toBe(200);
});

it("a cached key is refused within seconds of its revocation", async () => {
  const { apiKeys } = server.kb.organization(world.organization.id);
  const { id, key } = await apiKeys.create({ name: "Short-lived", scope: "read" });
  const status = async () =>
    (await send(server.url, { path: "/v1/namespace", headers: { authorization: `Bearer ${key}` } })).status;
  expect(await status()).toBe(200);
  const started = performance.now();
  await apiKeys.delete(id);
  while ((await status()) === 200) expect(performance.now() - started).toBeLessThan(5000);
  expect(await status()).toBe(401);
});
