import { join } from "node:path";
import { parse } from "content-disposition";
import { afterAll, beforeAll, expect, it } from "vitest";
import { send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { FILE, FILE_BYTES, makeWorld, type World } from "./support/world.js";

let server: TestServer;
let world: World;
let usual: readonly string[];
beforeAll(async () => {
  server = await startServer();
  world = await makeWorld(server);
  usual = Object.keys((await download(world.fileUrl)).headers);
});
afterAll(() => server.close());

const download = (url: string) => send(server.url, { path: url.slice(server.url.length) });

it.each([
  "../../etc/passwd",
  "..\\..\\windows\\system32",
  "/etc/passwd",
  "C:\\x.txt",
  "a\r\nX-Injected: 1\r\n\r\n<script>",
  "a\nSet-Cookie: x=1",
  'quote".txt"; filename="other.exe',
  "back\\slash.txt",
  "semi;colon,comma.txt",
  "käse 東京 😀.txt",
  "nul\u0000.txt",
  "\u202etxt.exe",
  "\u007f\u0001\u001b[2J.txt",
  "．．／．．／etc",
  "%2e%2e%2fetc%2fpasswd",
  "%0d%0aX-Injected: 1",
  "CON",
  ".htaccess",
  " ",
  "..",
  "lone \ud800 surrogate",
  "n".repeat(255),
])("a file may be called %j, and its download has one header for that and no other", async (fileName) => {
  const { client, namespaceId } = world;
  const upload = await client.createUpload(namespaceId, { ...FILE, fileName });
  await client.put(upload, FILE.contentType, FILE_BYTES);
  const job = await client.createIngestJob(namespaceId, { payload: { type: "MANAGED_FILE", key: upload.key } });
  expect((await client.completed(namespaceId, job.id)).status).toBe("COMPLETED");
  const { data } = await client.listDocuments(namespaceId, { ingestJobId: job.id });
  for (const call of [client.getFileDownloadUrl, client.getChunksDownloadUrl]) {
    const { headers, status } = await download((await call(namespaceId, data[0]!.id)).url);
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => name !== "etag")).toEqual(usual.filter((name) => name !== "etag"));
    const header = headers["content-disposition"]!;
    expect(header).toMatch(/^attachment(?:; filename\*?=[\x20-\x7e]+)?$/);
    const { type, parameters } = parse(header);
    expect(type).toBe("attachment");
    // The name under which a browser saves it has no path.
    expect(parameters.filename ?? "").not.toMatch(/[/\\]|^\.\.$/);
  }
});

it("file names are never part of a path on disk", () => {
  const directory = join(server.directory, "blobs");
  for (const blob of tablesOf(server.directory).blobs!)
    expect(blob.slice(directory.length)).toMatch(/^\/ns_[0-9a-f]{32}\/[0-9a-f]{32}(?:\.\w+)? \d+$/);
});
