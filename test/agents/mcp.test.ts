import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createHandler, serve } from "lorebase/http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
// What the command opens, which is in a directory with either engine.
import { KnowledgeBase } from "#dist/index.js";
import { temporaryFolder } from "../cli/lorebase.js";

const TEXT =
  "# The lamp\n\nThe tower has 167 steps. The lamp is lit thirty minutes before sunset. It burns until sunrise.";
const STATIC = { provider: "MANAGED_STATIC" };
const directory = join(temporaryFolder(), "kb");
const CLI = new URL("../../dist/cli/main.js", import.meta.url).pathname;

let server: Awaited<ReturnType<typeof serve>>;
let kb: KnowledgeBase;
let documentId: string;
let secretId: string;
let keys: { read: string; other: string };

beforeAll(async () => {
  kb = new KnowledgeBase({ directory });
  await kb.namespaces.create({ name: "Light", slug: "light", embeddingConfig: STATIC });
  const light = kb.namespace("light");
  const run = await light.ingest({ type: "TEXT", text: TEXT, fileName: "lamp.md" });
  await run.done({ throwOnFailure: true });
  const acme = light.tenant("acme");
  await acme.ingest({ type: "TEXT", text: "The password is swordfish.", fileName: "secret.md" }).done();
  secretId = (await acme.documents.list()).items[0]!.id;
  documentId = (await light.documents.list({ ingestJobId: run.id })).items[0]!.id;
  const organization = await kb.organizations.create({ name: "Other" });
  keys = {
    read: (await kb.apiKeys.create({ name: "reader", scope: "read" })).key,
    other: (await kb.organization(organization.id).apiKeys.create({ name: "other", scope: "read" })).key,
  };
  server = await serve(kb, { port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await server.close();
  await kb.close();
});

async function overHttp(headers: Readonly<Record<string, string>>, path = "/mcp?namespace=light"): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(path, server.url), { requestInit: { headers } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

async function overStdio(...args: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, "mcp", "-d", directory, "-n", "light", ...args],
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const textOf = ({ content }: { content: unknown }) => (content as { text: string }[])[0]!.text;

describe.each([
  ["HTTP", () => overHttp(bearer(keys.read))],
  ["stdio", () => overStdio()],
])("a client over %s", (_, connect) => {
  it("lists the tools, which only read, and gets passages, citations and texts", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search", "ask", "read_document", "list_documents"]);
    for (const { annotations, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true });
      expect([inputSchema.type, outputSchema?.type]).toEqual(["object", "object"]);
      expect(JSON.stringify(inputSchema)).not.toMatch(/namespace|tenant|filter/i);
    }
    const found = await client.callTool({ name: "search", arguments: { query: "lamp", limit: 1 } });
    expect(found.structuredContent).toMatchObject({
      passages: [{ documentId, source: 'lamp.md, "The lamp"', range: { start: 0 } }],
    });
    const answer = await client.callTool({ name: "ask", arguments: { question: "When is the lamp lit?" } });
    expect(answer.structuredContent).toMatchObject({
      isAnswered: true,
      citations: [{ number: 1, documentId, quote: "The lamp is lit thirty minutes before sunset." }],
    });
    expect(textOf(answer)).toContain("The lamp is lit thirty minutes before sunset. [1]");
    const { citations } = answer.structuredContent as { citations: { quote: string; range: { start: number } }[] };
    const [{ quote, range }] = citations as [(typeof citations)[0]];
    const read = await client.callTool({
      name: "read_document",
      arguments: { documentId, start: range.start, length: quote.length },
    });
    expect(read.structuredContent).toMatchObject({ text: quote, start: range.start, name: "lamp.md" });
    const listed = await client.callTool({ name: "list_documents", arguments: {} });
    expect(listed.structuredContent).toMatchObject({ documents: [{ documentId, name: "lamp.md" }], nextCursor: null });
  });

  it("is told what is wrong with a call", async () => {
    const client = await connect();
    for (const [name, input, message] of [
      ["search", { query: "" }, /query/],
      ["search", { query: "x", filter: {} }, /filter/],
      ["search", { query: "x", limit: 21 }, /limit.*20/],
      ["read_document", { documentId: "doc_missing" }, /doc_missing/],
      ["read_document", { documentId, start: 1000 }, /start.* 1\d\d characters, got 1000/],
      ["list_documents", { cursor: "x" }, /cursor/],
    ] as const) {
      const result = await client.callTool({ name, arguments: input });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(message);
    }
  });
});

it("shows a tenant its own documents, and nobody else's", async () => {
  const secret = { name: "search", arguments: { query: "password swordfish" } };
  for (const acme of [
    await overHttp({ ...bearer(keys.read), "x-tenant-id": "acme" }),
    await overStdio("--tenant", "acme"),
  ])
    expect(textOf(await acme.callTool(secret))).toContain("swordfish");
  for (const client of [await overHttp(bearer(keys.read)), await overStdio()]) {
    expect(textOf(await client.callTool(secret))).not.toContain("swordfish");
    const { structuredContent } = await client.callTool({ name: "list_documents", arguments: {} });
    expect(JSON.stringify(structuredContent)).not.toContain("secret.md");
    const read = await client.callTool({ name: "read_document", arguments: { documentId: secretId } });
    expect([read.isError, textOf(read)]).toEqual([true, `There is no document "${secretId}".`]);
  }
});

it("needs a key of the namespace's organization, and its name in the URL", async () => {
  const status = async (path: string, headers: Readonly<Record<string, string>>) => {
    const request = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const response = await fetch(new URL(path, server.url), {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(request),
    });
    await response.body?.cancel();
    return response.status;
  };
  expect(await status("/mcp?namespace=light", {})).toBe(401);
  expect(await status("/mcp?namespace=light", bearer("lb_wrong"))).toBe(401);
  expect(await status("/mcp?namespace=light", bearer(keys.other))).toBe(404);
  expect(await status("/mcp", bearer(keys.read))).toBe(400);
  expect(await status("/mcp?namespace=light", { ...bearer(keys.read), origin: "https://evil.example" })).toBe(403);
  expect(await status("/mcp?namespace=light", bearer(keys.read))).toBe(200);
  for (const method of ["GET", "DELETE"]) {
    const response = await fetch(new URL("/mcp?namespace=light", server.url), { method, headers: bearer(keys.read) });
    await response.body?.cancel();
    expect(response.status).toBe(405);
  }
});

it("reads a body within the limits of the handler, and answers a wrong one as JSON-RPC does", async () => {
  const onError = () => {};
  const handler = createHandler(kb, { limits: { maxBodyBytes: 1000, bodyTimeoutMs: 50 }, onError });
  const post = async (body: string | ReadableStream) => {
    const response = await handler(
      new Request("http://localhost/mcp?namespace=light", {
        method: "POST",
        headers: {
          ...bearer(keys.read),
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body,
        duplex: "half",
      } as RequestInit),
    );
    const { jsonrpc, id, error } = (await response.json()) as Record<string, unknown> & { error: { code: number } };
    expect([jsonrpc, id]).toEqual(["2.0", null]);
    return [response.status, error.code];
  };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(100).fill(0x20));
    },
  });
  expect(await post(endless)).toEqual([413, -32700]);
  expect(pulled).toBeLessThan(20);
  expect(await post(new ReadableStream({}))).toEqual([400, -32700]);
  expect(await post(call.slice(1))).toEqual([400, -32700]);
  expect(await post(`[${call},${call}]`)).toEqual([400, -32600]);
  for (const body of ["", "null", "7", "{}", '{"jsonrpc":"2.0"}']) expect((await post(body))[0]).toBe(400);
});
