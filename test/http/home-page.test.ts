import { createHandler } from "lorebase/http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { send } from "./support/send.js";
import { startServer, type TestServer } from "./support/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

it("a browser without a key gets a page that says what this is", async () => {
  const { status, headers, text } = await send(server.url, { path: "/", headers: { accept: "text/html,*/*;q=0.8" } });
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(text).toContain(`curl ${server.url}/v1/namespace -H "Authorization: Bearer $KEY"`);
  expect(text).toContain(`href="${server.url}/v1/openapi.json"`);
  expect(text).not.toMatch(/<script|src=|url\(/);
});

it("HEAD is answered alike, JSON where it is asked for", async () => {
  expect(await send(server.url, { method: "HEAD", path: "/" })).toMatchObject({ status: 200, text: "" });
  const json = await send(server.url, { path: "/", headers: { accept: "application/json" } });
  expect(JSON.parse(json.text)).toMatchObject({ name: "Lorebase", api: `${server.url}/v1` });
});

it("a mounted handler answers at its base path, and names it", async () => {
  const handler = createHandler(server.kb, { basePath: "/kb" });
  const page = await handler(new Request("http://localhost/kb/"));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("curl http://localhost/kb/v1/namespace");
});

it("an address is escaped", async () => {
  const handler = createHandler(server.kb, { basePath: "/a&b" });
  expect(await (await handler(new Request("http://localhost/a&b/"))).text()).toContain("http://localhost/a&amp;b/v1");
});
