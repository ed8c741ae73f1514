import { createHash } from "node:crypto";
import { createHandler, type RequestLog } from "lorebase/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFailure } from "./support/envelope.js";
import { authorized, send } from "./support/send.js";
import { newOrganization, startServer, type TestServer } from "./support/test-server.js";

let server: TestServer;
const logged: RequestLog[] = [];
beforeAll(async () => {
  server = await startServer({}, { landingPage: true, onRequest: (entry) => logged.push(entry) });
});
afterAll(() => server.close());

describe("GET / of a server with a landing page", () => {
  it("needs no key and links the API and its description", async () => {
    const { status, headers, text } = await send(server.url, { path: "/", headers: { accept: "text/html,*/*;q=0.8" } });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(text).toContain(`<code>${server.url}/v1</code>`);
    for (const path of ["/v1/openapi.json", "/health", "/api-reference/errors"]) {
      expect(text).toContain(`<a href="${server.url}${path}">`);
      expect((await send(server.url, { path })).status).toBe(200);
    }
    expect(text).toContain("Authorization: Bearer");
    expect(text).toMatch(/<a href="https:\/\/github\.com\/[^"]+">/);
    expect(logged.some(({ operation, status }) => operation === "landingPage" && status === 200)).toBe(true);
  });

  it("loads nothing: the policy allows only its own style", async () => {
    const { headers, text } = await send(server.url, { path: "/" });
    const [, style = ""] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(text).not.toMatch(/<(?:script|img|link|iframe|form)\b|\sstyle=|\son\w+=|url\(|@import/);
  });

  it.each([
    ["application/json", "json"],
    ["application/json, text/plain, */*", "json"],
    ["text/html;q=0.5, application/json", "json"],
    ["application/*, text/html;q=0", "json"],
    ["*/*", "html"],
    ["text/html, application/json;q=0.9", "html"],
    ["application/json;q=0, */*", "html"],
    ["image/png", "html"],
    ["", "html"],
  ])("answers Accept: %s with %s", async (accept, kind) => {
    const { headers } = await send(server.url, { path: "/", headers: { accept } });
    expect(headers["content-type"]).toMatch(kind === "json" ? /^application\/json/ : /^text\/html/);
    expect(headers.vary).toBe("accept");
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("has the same facts as JSON", async () => {
    const { text } = await send(server.url, { path: "/", headers: { accept: "application/json" } });
    expect(JSON.parse(text)).toEqual({
      name: "Lorebase",
      description: expect.any(String),
      api: `${server.url}/v1`,
      openapi: `${server.url}/v1/openapi.json`,
      health: `${server.url}/health`,
      errors: `${server.url}/api-reference/errors`,
      documentation: expect.stringMatching(/^https:/),
      authentication: expect.stringContaining("Authorization: Bearer <key>"),
    });
  });

  it("has no body for HEAD and supports no other method", async () => {
    const head = await send(server.url, { method: "HEAD", path: "/" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers["content-type"]).toBe("text/html; charset=utf-8");
    expectFailure(await send(server.url, { method: "POST", path: "/" }), 401);
  });

  it("escapes the Host header", async () => {
    const { text } = await send(server.url, { path: "/", headers: { host: `a"'&b` } });
    expect(text).toContain("http://a&#34;&#39;&#38;b/v1");
    expect(text).not.toContain(`a"`);
  });

  it("keeps every other path protected", async () => {
    for (const path of ["/v1", "/v1/", "//", "/index.html"]) expectFailure(await send(server.url, { path }), 401);
  });
});

it("is at the base path, with and without a slash, and links addresses below it", async () => {
  const mounted = await startServer({}, { landingPage: true, basePath: "/kb" });
  try {
    const origin = new URL(mounted.url).origin;
    for (const path of ["/kb", "/kb/", "/"]) {
      const { text } = await send(origin, { path, headers: { accept: "application/json" } });
      expect(JSON.parse(text).api).toBe(`${origin}/kb/v1`);
    }
  } finally {
    await mounted.close();
  }
});

it("is not part of the OpenAPI document", async () => {
  const { text } = await send(server.url, { path: "/v1/openapi.json" });
  expect(Object.keys(JSON.parse(text).paths)).not.toContain("/");
});

it("is off by default, and never part of createHandler", async () => {
  const plain = await startServer();
  try {
    const { key } = await newOrganization(plain);
    expectFailure(await send(plain.url, { path: "/" }), 401);
    expectFailure(await send(plain.url, { path: "/", headers: authorized(key) }), 404);
    const handler = createHandler(plain.kb, { basePath: "/kb" });
    for (const path of ["/", "/kb", "/kb/"])
      expect((await handler(new Request(`http://localhost${path}`))).status).toBe(401);
  } finally {
    await plain.close();
  }
});
