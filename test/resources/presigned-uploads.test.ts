import { createHash } from "node:crypto";
import { s3 } from "lorebase";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { BlobStore } from "../../src/interfaces/blob-store.js";
import type { NamespaceHandle } from "../../src/namespace-handle.js";
import { queryDatabase } from "../support/database.js";
import { failureOf, LEXICAL } from "../support/knowledge-base.js";
import { type OpenEngine, openEngine } from "../support/open-engine.js";
import { presigningStore } from "../support/presigning-store.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { fakeS3, S3_BUCKET, S3_CREDENTIALS, S3_REGION } from "../support/vendors/s3.js";

const FILE = { fileName: "note.txt", contentType: "text/plain", fileSize: 5 };
const HELLO = Buffer.from("hello");

let store: BlobStore;
let open: OpenEngine;
let handle: NamespaceHandle;
beforeEach(async () => {
  store = presigningStore(temporaryDirectory());
  open = await openEngine({ blobs: store, publicUrl: "https://kb.example.com" });
  const view = open.organization();
  handle = view.namespace(await view.namespaces.create({ name: "Files", slug: "files", embeddingConfig: LEXICAL }));
});
afterEach(() => open.close());

const use = (...keys: string[]) =>
  handle.ingestJobs.create({ payload: { type: "BATCH", items: keys.map((key) => ({ type: "MANAGED_FILE", key })) } });

async function uploadOf(key: string) {
  const [upload] = queryDatabase(open.directory, "SELECT state, sha256, file_size FROM uploads WHERE key = ?", key);
  return upload;
}

it("gives the store's own URL, for what was announced", async () => {
  const { key, url } = await handle.uploads.create(FILE);
  const { origin, pathname, searchParams } = new URL(url);
  expect([origin, pathname]).toEqual(["https://files.example", `/${key}`]);
  expect(Object.fromEntries(searchParams)).toEqual({
    method: "PUT",
    contentType: "text/plain",
    size: "5",
    expiresInSeconds: "3600",
  });
});

it("finds what was sent to the store when a job names it", async () => {
  const [first, second] = await handle.uploads.createBatch([FILE, FILE]);
  await store.put(first!.key, HELLO);
  expect((await failureOf(() => use(first!.key, second!.key))).message).toContain("File not found");
  await store.put(second!.key, HELLO);
  expect((await use(first!.key, second!.key)).status).toBe("QUEUED");
  expect(await uploadOf(second!.key)).toEqual({ state: "stored", sha256: null, file_size: 5 });
});

it("takes no file of another size than the announced one", async () => {
  const { key } = await handle.uploads.create(FILE);
  for (const body of ["", "hell", "hello!"]) {
    await store.put(key, Buffer.from(body));
    const error = await failureOf(() => use(key));
    expect([error.code, error.issues[0]!.message]).toEqual([
      "invalid_input",
      expect.stringContaining("File not found"),
    ]);
    expect(await uploadOf(key)).toMatchObject({ state: "pending" });
  }
});

it("takes only the file with the announced SHA-256", async () => {
  const sha256 = createHash("sha256").update(HELLO).digest("hex");
  const { key } = await handle.uploads.create({ ...FILE, sha256 });
  await store.put(key, Buffer.from("jello"));
  expect((await failureOf(() => use(key))).message).toContain("File not found");
  await store.put(key, HELLO);
  expect((await use(key)).status).toBe("QUEUED");
  expect(await uploadOf(key)).toEqual({ state: "stored", sha256, file_size: 5 });
});

it("asks for no file of another namespace", async () => {
  const view = open.organization();
  await view.namespaces.create({ name: "Other", slug: "other", embeddingConfig: LEXICAL });
  const { key } = await view.namespace("other").uploads.create(FILE);
  await store.put(key, HELLO);
  expect((await failureOf(() => use(key))).message).toContain("File not found");
  expect(await uploadOf(key)).toMatchObject({ state: "pending" });
});

it("uploads to a bucket, whose files a URL can't change once they are in use", async () => {
  const server = await fakeS3();
  const location = { endpoint: server.endpoint, bucket: S3_BUCKET, region: S3_REGION };
  const onS3 = await openEngine({ blobs: s3({ ...location, credentials: S3_CREDENTIALS }) });
  onTestFinished(async () => {
    await onS3.close();
    await server.close();
  });
  const view = onS3.organization();
  const files = view.namespace(await view.namespaces.create({ name: "Files", slug: "s3", embeddingConfig: LEXICAL }));
  const { key, url } = await files.uploads.create(FILE);
  const send = (body: string) => fetch(url, { method: "PUT", body, headers: { "content-type": FILE.contentType } });
  expect([(await send("hello!")).status, (await send("hello")).status]).toEqual([403, 200]);
  await files.ingestJobs.create({ payload: { type: "MANAGED_FILE", key } });
  expect((await send("other")).status).toBe(200);
  expect(server.objects.get(key)!.bytes.toString()).toBe("hello");
});
