import { KnowledgeBase } from "lorebase";
import { type Caller, createHandler, type HandlerOptions } from "lorebase/http";
import { afterEach, expect, test } from "vitest";

const opened: KnowledgeBase[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((kb) => kb.close()));
});

function open(options: HandlerOptions = {}) {
  const kb = new KnowledgeBase({ directory: ":memory:", worker: false });
  opened.push(kb);
  const handler = createHandler(kb, options);
  const get = (path: string, headers: Record<string, string> = {}) =>
    handler(new Request(`http://localhost${path}`, { headers }));
  return { kb, handler, get };
}

test("the rate limit of a plan is per organization, over all its keys", async () => {
  const { kb, get } = open();
  const free = await kb.organizations.create({ name: "Free", plan: "free" });
  const other = await kb.organizations.create({ name: "Other", plan: "free" });
  const view = kb.organization(free.id);
  const keys = await Promise.all(["one", "two"].map((name) => view.apiKeys.create({ name, scope: "read" })));
  const { key: neighbour } = await kb.organization(other.id).apiKeys.create({ name: "n", scope: "read" });
  const { key: embedded } = await kb.apiKeys.create({ name: "e", scope: "read" });
  const ask = (key: string) => get("/v1/namespace", { authorization: `Bearer ${key}` });

  for (let request = 1; request <= 60; request++) {
    const { status, headers } = await ask(keys[request % 2]!.key);
    expect(status).toBe(200);
    expect(headers.get("x-ratelimit-limit")).toBe("60");
    expect(headers.get("x-ratelimit-remaining")).toBe(String(60 - request));
  }
  const refused = await ask(keys[0]!.key);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
  const reset = Number(refused.headers.get("x-ratelimit-reset")) - Date.now() / 1000;
  expect(reset).toBeGreaterThan(0);
  expect(reset).toBeLessThanOrEqual(61);
  expect(await refused.json()).toMatchObject({ success: false, error: { code: "rate_limit_exceeded" } });

  expect((await ask(neighbour)).status).toBe(200);
  const unlimited = await ask(embedded);
  expect(unlimited.status).toBe(200);
  expect(unlimited.headers.has("x-ratelimit-limit")).toBe(false);
});

test("a host's own authentication replaces keys and sees no body", async () => {
  const bodies: unknown[] = [];
  const authenticate = (request: Request): Caller | null => {
    bodies.push(request.body);
    const organizationId = request.headers.get("x-user");
    return organizationId ? { organizationId, scope: "read" } : null;
  };
  const { kb, handler, get } = open({ authenticate });
  const { id } = await kb.organizations.create({ name: "Host's" });
  expect((await get("/v1/namespace")).status).toBe(401);
  expect((await get("/v1/namespace", { "x-user": id })).status).toBe(200);
  // An unknown organization owns nothing.
  expect(await (await get("/v1/namespace", { "x-user": "org_unknown" })).json()).toMatchObject({ data: [] });
  const post = new Request("http://localhost/v1/namespace", {
    method: "POST",
    headers: { "x-user": id, "content-type": "application/json" },
    body: "{}",
  });
  expect((await handler(post)).status).toBe(403);
  expect(bodies.every((body) => body === null)).toBe(true);
});

test("a body is read only up to its limits", async () => {
  const limits = { maxBodyBytes: 1000, maxDepth: 4, bodyTimeoutMs: 50 };
  const { kb, handler } = open({ limits });
  const { key } = await kb.apiKeys.create({ name: "k", scope: "admin" });
  const post = (body: ConstructorParameters<typeof Response>[0]) =>
    handler(
      new Request("http://localhost/v1/namespace", {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body,
        duplex: "half",
      } as RequestInit),
    );
  const message = async (body: ConstructorParameters<typeof Response>[0]) => {
    const response = await post(body);
    const { error } = (await response.json()) as { error: { message: string } };
    return [response.status, error.message];
  };
  expect(await message(`{"name":"${"x".repeat(1000)}"}`)).toEqual([400, "The body is larger than 1000 bytes."]);

  let pulled = 0;
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 100;
      controller.enqueue(new Uint8Array(100).fill(0x20));
    },
    cancel() {
      cancelled = true;
    },
  });
  expect(await message(endless)).toEqual([400, "The body is larger than 1000 bytes."]);
  expect(pulled).toBeLessThanOrEqual(1300);
  expect(cancelled).toBe(true);

  expect(await message('{"a":[[[[1]]]]}')).toEqual([400, "The body is nested deeper than 4 levels."]);
  expect((await post('{"name":"[[[[[[\\"[["}')).status).toBe(422);
  expect(await message(new ReadableStream({}))).toEqual([400, "The body took longer than 50 ms."]);
});

test.each([
  [{ basePath: "kb" }, "basePath"],
  [{ basePath: "/kb/" }, "basePath"],
  [{ docsUrl: "nowhere" }, "docsUrl"],
  [{ limits: { maxBodyBytes: 0 } }, "limits.maxBodyBytes"],
  [{ onrequest: () => {} }, "onRequest"],
])("options that break a rule are refused by name: %j", (options, named) => {
  const kb = new KnowledgeBase({ directory: ":memory:" });
  opened.push(kb);
  expect(() => createHandler(kb, options as HandlerOptions)).toThrow(named);
});

test("refuses a URL with a password, and does not reveal the password", async () => {
  const told: unknown[] = [];
  const { handler } = open({ onError: (error) => told.push(error) });
  // As a listener may pass it; the global class refuses such URLs.
  const request = Object.defineProperty(new Request("http://localhost/v1/namespace"), "url", {
    value: "http://user:canary@localhost/v1/namespace",
  });
  const response = await handler(request);
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain("canary");
  expect(told).toEqual([]);
});

test("an unsupported method is reported also if the host keeps the base path", async () => {
  const { kb, handler } = open({ basePath: "/kb" });
  const { key } = await kb.apiKeys.create({ name: "k", scope: "admin" });
  for (const path of ["/kb/v1/namespace", "/v1/namespace"]) {
    const headers = { authorization: `Bearer ${key}` };
    const response = await handler(new Request(`http://localhost${path}`, { method: "PUT", headers }));
    expect([response.status, response.headers.get("allow")]).toEqual([404, "GET, POST"]);
  }
});

test("errors and signed URLs use the public address if there is one", async () => {
  const kb = new KnowledgeBase({ directory: ":memory:", worker: false, publicUrl: "https://example.com/kb/" });
  opened.push(kb);
  const response = await createHandler(kb)(new Request("http://localhost:3000/v1/namespace"));
  const { error } = (await response.json()) as { error: { doc_url: string } };
  expect(error.doc_url).toBe("https://example.com/kb/api-reference/errors#unauthorized");
});

test("an abandoned event stream leaves no listener", async () => {
  const { kb, handler } = open();
  const { key } = await kb.apiKeys.create({ name: "k", scope: "admin" });
  await kb.namespaces.create({ name: "N", slug: "nn", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const { id } = await kb.ingestJobs.create("nn", { payload: { type: "TEXT", text: "waits for a worker" } });
  const leaks: string[] = [];
  const onWarning = ({ name }: Error) => leaks.push(name);
  process.on("warning", onWarning);
  const headers = { authorization: `Bearer ${key}` };
  const abort = new AbortController();
  for (let round = 0; round < 20; round++) {
    for (const method of ["GET", "HEAD"]) {
      // One signal for all, like a server's: any listener left on it has leaked.
      const url = `http://localhost/v1/namespace/nn/ingest-jobs/${id}/events`;
      const response = await handler(new Request(url, { method, headers, signal: abort.signal }));
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
  }
  // Resolves only if the generators have ended: each polls four times a second.
  await kb.close();
  process.off("warning", onWarning);
  expect(leaks).toEqual([]);
});

test("the list of namespaces is complete unless the query has a list parameter", async () => {
  const { kb, get } = open();
  const { key } = await kb.apiKeys.create({ name: "k", scope: "read" });
  for (let index = 0; index < 31; index++) {
    await kb.namespaces.create({ name: "N", slug: `n-${index}`, embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  }
  const count = async (query: string) => {
    const response = await get(`/v1/namespace${query}`, { authorization: `Bearer ${key}` });
    return ((await response.json()) as { data: unknown[] }).data.length;
  };
  expect([await count(""), await count("?_=1"), await count("?order=asc")]).toEqual([31, 31, 30]);
});

test("refuses a body of too many small values before parsing it", async () => {
  const { kb, handler } = open();
  const { key } = await kb.apiKeys.create({ name: "k", scope: "admin" });
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: `{"extra":[${"[],".repeat(200_000)}1]}`,
  };
  const response = await handler(new Request("http://localhost/v1/namespace", init));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("more than 200000 values");
});
