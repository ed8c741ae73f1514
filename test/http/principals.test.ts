import { createHandler } from "lorebase/http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROUTES } from "#dist/http/routes/index.js";
import { expectFailure } from "./support/envelope.js";
import { requestTo } from "./support/requests.js";
import { authorized, send } from "./support/send.js";
import { newOrganization, startServer, type TestServer } from "./support/test-server.js";
import { ABSENT } from "./support/world.js";

let server: TestServer;
let namespaceId: string;
let organizationId: string;
const keys = { admin: "", bound: "" };
const ids = { all: "", eng: "", ops: "" };
beforeAll(async () => {
  server = await startServer();
  const { id, key } = await newOrganization(server);
  const organization = server.kb.organization(id);
  organizationId = id;
  namespaceId = (await organization.namespaces.create({ name: "Lamps", slug: "lamps" })).id;
  const handle = organization.namespace(namespaceId);
  const readers = { all: null, eng: ["group:eng", "a,b"], ops: ["group:ops"] };
  for (const [name, allow] of Object.entries(readers)) {
    const payload = { type: "TEXT", text: `The lamp of ${name}.` } as const;
    const job = await handle.ingest(payload, { ...(allow && { allow }) }).done({ throwOnFailure: true });
    ids[name as keyof typeof ids] = (await handle.documents.list({ ingestJobId: job.id })).items[0]!.id;
  }
  const bound = await organization.apiKeys.create({ name: "Eng", scope: "read", principals: ["group:eng", "user:7"] });
  keys.admin = key;
  keys.bound = bound.key;
  await handle.hosting.enable({ slug: "lamps", protected: false });
});
afterAll(() => server.close());

const call = (key: string, path: string, body?: object, method = body ? "POST" : "GET") =>
  send(server.url, {
    ...{ method, path: `/v1/namespace/${namespaceId}${path}`, headers: authorized(key) },
    ...(body && { body: JSON.stringify(body) }),
  });
const namesIn = (text: string) => ["all", "eng", "ops"].filter((name) => text.includes(` of ${name}.`));

it("requests with principals see what these may see", async () => {
  const search = async (principals?: readonly string[]) =>
    namesIn((await call(keys.admin, "/search", { query: "lamp", mode: "keyword", principals })).text);
  expect(await search()).toEqual(["all", "eng", "ops"]);
  expect(await search(["group:eng"])).toEqual(["all", "eng"]);
  expect(await search([])).toEqual(["all"]);
  const list = async (query: string) => namesIn((await call(keys.admin, `/documents${query}`)).text);
  expect(await list("")).toEqual(["all", "eng", "ops"]);
  expect(await list("?principals=group:eng&principals=group:ops")).toEqual(["all", "eng", "ops"]);
  // A comma is a part of a name, and an empty list is less than none.
  expect(await list("?principals=a,b")).toEqual(["all", "eng"]);
  expect(await list("?principals=group:eng,group:ops")).toEqual(["all"]);
  expect(await list("?principals=")).toEqual(["all"]);
  for (const path of ["", "/text"])
    expectFailure(await call(keys.admin, `/documents/${ids.ops}${path}?principals=group:eng`), 404);
  for (const kind of ["chunks", "file"])
    expectFailure(await call(keys.admin, `/documents/${ids.ops}/${kind}-download-url?principals=x`, {}), 404);
  const facets = await call(keys.admin, "/facets", { keys: ["filename"], principals: ["group:eng"] });
  expect(facets.status).toBe(200);
});

it("a bound key sees what its principals may see, whatever the request names", async () => {
  const search = (principals?: readonly string[]) =>
    call(keys.bound, "/search", { query: "lamp", mode: "keyword", principals });
  expect(namesIn((await search()).text)).toEqual(["all", "eng"]);
  expect(namesIn((await search(["user:7"])).text)).toEqual(["all"]);
  expectFailure(await search(["group:ops"]), 403);
  expect(namesIn((await call(keys.bound, "/documents")).text)).toEqual(["all", "eng"]);
  const listed = (await call(keys.bound, "/passages", { orderBy: { key: "filename" }, includeTotal: true })).text;
  expect([namesIn(listed), JSON.parse(listed).data.total]).toEqual([["all", "eng"], 2]);
  expectFailure(await call(keys.bound, `/documents/${ids.ops}`), 404);
  const message = { role: "user", parts: [{ type: "text", text: "Which lamps are there?" }] };
  expect(namesIn((await call(keys.bound, "/chat", { messages: [message], mode: "extractive" })).text)).not.toContain(
    "ops",
  );
  const toolCall = {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "search", arguments: { query: "lamp" } },
  };
  const mcp = await send(server.url, {
    ...{ method: "POST", path: "/mcp?namespace=lamps", body: JSON.stringify(toolCall) },
    headers: { ...authorized(keys.bound), accept: "application/json, text/event-stream" },
  });
  expect(namesIn(mcp.text)).toEqual(["all", "eng"]);
});

it("a bound key is refused by every route that shows or changes anything else", async () => {
  const READING = ["search", "findSimilar", "listPassages", "countFacets", "chat"];
  const allowed = [
    ...READING,
    "listDocuments",
    "getDocument",
    "getDocumentText",
    "getChunksDownloadUrl",
    "getFileDownloadUrl",
  ];
  const needKey = ROUTES.filter(({ access }) => access === "read" || access === "write" || access === "admin");
  expect(
    needKey
      .filter(({ forPrincipals }) => forPrincipals)
      .map(({ operationId }) => operationId)
      .toSorted(),
  ).toEqual(allowed.toSorted());
  for (const route of needKey.filter(({ forPrincipals }) => !forPrincipals))
    expectFailure(await send(server.url, requestTo(route, { ...ABSENT, namespaceId }, authorized(keys.bound))), 403);
});

it("a caller whose principals are unknown is not taken for the owner", async () => {
  for (const principals of [undefined, "", "group:eng"]) {
    const authenticate = () => ({ organizationId, scope: "read", principals }) as never;
    const handler = createHandler(server.kb, { authenticate, onError: () => {} });
    const answer = await handler(new Request(`http://127.0.0.1/v1/namespace/${namespaceId}/documents`));
    expect(answer.status).toBe(500);
  }
});

it("only keys that read can be bound", async () => {
  const create = server.kb.apiKeys.create({ name: "a", scope: "write", principals: [] });
  await expect(create).rejects.toThrow("principals: can only be set for a key with the scope read");
});

it("a hosted page shows what all may see", async () => {
  const page = await send(server.url, { path: "/h/lamps/search?q=lamp" });
  expect(namesIn(page.text)).toEqual(["all"]);
  expect((await send(server.url, { path: `/h/lamps/document/${ids.eng}` })).status).toBe(404);
});
