import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
// What the example opens, which is in a directory with either engine.
import { KnowledgeBase } from "#dist/index.js";
import { createNamespace, ingest, openSocket, type Running, testMounted } from "../support/mounted.js";
import { installExample, start } from "../support/next-app.js";

/** Added to the example: a knowledge base without a worker, and a counter of disconnected clients. */
const IDLE_ROUTE = `
import { KnowledgeBase } from "lorebase";
import { createHandler } from "lorebase/http";

const kb = new KnowledgeBase({ directory: process.env.IDLE_DIRECTORY!, worker: false });
const handler = createHandler(kb, { basePath: "/idle" });
let left = 0;

export function GET(request: Request): Promise<Response> | Response {
  if (request.url.endsWith("/left")) return Response.json(left);
  request.signal.addEventListener("abort", () => left++);
  return handler(request);
}

export { handler as POST };
`;

let folder: string;
let server: Running;
let key: string;
let idleKey: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lorebase-next-"));
  const [directory, idle] = [join(folder, "kb"), join(folder, "idle")];
  [key, idleKey] = [await newKey(directory), await newKey(idle)];
  installExample(folder);
  mkdirSync(join(folder, "app/idle/[...path]"), { recursive: true });
  writeFileSync(join(folder, "app/idle/[...path]/route.ts"), IDLE_ROUTE);
  server = await start(folder, { KB_DIRECTORY: directory, IDLE_DIRECTORY: idle });
}, 120_000);
afterAll(async () => {
  await server?.close();
  // Its processes may still be exiting.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function newKey(directory: string): Promise<string> {
  const kb = new KnowledgeBase({ directory });
  const { key } = await kb.apiKeys.create({ name: "test", scope: "admin" });
  await kb.close();
  return key;
}

describe("the example for Next.js", () => {
  testMounted(async () => ({ url: `${server.url}/kb`, key, close: async () => {} }));

  it("stops its work for a client that disconnects from a stream", async () => {
    const mounted = { url: `${server.url}/idle`, key: idleKey };
    const job = await ingest(mounted, await createNamespace(mounted), "A");
    const { socket, answer } = openSocket(server.url);
    socket.write(`GET /idle${job}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${idleKey}\r\n\r\n`);
    expect(await answer(/QUEUED/)).toContain("text/event-stream");
    socket.destroy();
    await expect.poll(async () => (await fetch(`${mounted.url}/left`)).json()).toBe(1);
  });
});
