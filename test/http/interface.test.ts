import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { InterfaceError } from "./support/interface-client.js";
import { type InterfaceSession, startSession } from "./support/interface-session.js";
import { authorized, send } from "./support/send.js";

let session: InterfaceSession;
beforeAll(async () => {
  session = await startSession();
});
afterEach(() => expect(session.checks.faults).toEqual([]));
afterAll(() => session.server.close());

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof InterfaceError ? error.status : Promise.reject(error)),
  );

describe("a namespace", () => {
  it("is created, read by id and slug, changed and deleted", async () => {
    const { client, organization } = session;
    const made = await client.createNamespace({
      name: "Handbook",
      slug: "Hand_Book",
      embeddingConfig: { provider: "MANAGED_LEXICAL" },
    });
    expect(made.id).toMatch(/^ns_/);
    expect(made.createdAt).toMatch(ISO);
    expect(made).toMatchObject({ name: "Handbook", slug: "Hand_Book", organizationId: organization.id });
    expect(made.embeddingConfig.provider).toBe("MANAGED_LEXICAL");
    expect(made.vectorStoreConfig.provider).toBe("MANAGED_SQLITE_VEC");
    for (const ref of [made.id, "Hand_Book", "hand_book"]) expect(await client.getNamespace(ref)).toEqual(made);
    expect((await client.listNamespaces()).data).toContainEqual(made);

    expect(await client.updateNamespace("hand_book", {})).toEqual(made);
    const renamed = await client.updateNamespace(made.id, { name: "Staff handbook", slug: "staff" });
    expect(renamed).toEqual({ ...made, name: "Staff handbook", slug: "staff" });
    expect(await statusOf(client.getNamespace("hand_book"))).toBe(404);
    expect(await statusOf(client.updateNamespace(made.id, { embeddingConfig: { provider: "X" } }))).toBe(422);
    expect(await statusOf(client.updateNamespace(made.id, { vectorStoreConfig: { provider: "X" } }))).toBe(422);
    expect(await client.warmUp("staff")).toEqual({ status: true });

    expect(await client.deleteNamespace("staff")).toEqual(renamed);
    for (const ref of [made.id, "staff"]) expect(await statusOf(client.getNamespace(ref))).toBe(404);
    expect((await client.createNamespace({ name: "Next", slug: "staff" })).id).not.toBe(made.id);
  });

  it("has a name of 1 to 64 characters and a unique slug of 2 to 48", async () => {
    const { client } = session;
    const create = (name: string, slug: string) => statusOf(client.createNamespace({ name, slug }));
    expect(await create("n".repeat(64), "s".repeat(48))).toBe(200);
    expect(await create("n", "s2")).toBe(200);
    for (const name of ["", "n".repeat(65)]) expect(await create(name, "fine")).toBe(422);
    for (const slug of ["", "s", "s".repeat(49), "ns_1", "a b"]) expect(await create("Fine", slug)).toBe(422);
    expect(await create("Other", "S2")).toBe(409);
  });
});

describe("an ingest job", () => {
  it("turns a text into a document", async () => {
    const { client, newNamespace } = session;
    const { id, slug } = await newNamespace();
    const config = { chunkSize: 200, metadata: { year: 2026, tags: ["a"] } };
    const text = "# Leave\n\nParental leave is 16 weeks.";
    const body = {
      payload: { type: "TEXT", text, fileName: "leave.md" },
      name: "Leave",
      externalId: "leave-1",
      config,
    };
    const queued = await client.createIngestJob(slug, body);
    expect(queued).toMatchObject({ namespaceId: id, tenantId: null, externalId: "leave-1", name: "Leave", config });
    expect(["BACKLOG", "QUEUED"]).toContain(queued.status);
    expect(await statusOf(client.createIngestJob(id, body))).toBe(409);

    const job = await client.completed(id, queued.id);
    expect(job).toMatchObject({ id: queued.id, status: "COMPLETED", error: null, failedAt: null });
    for (const phase of ["createdAt", "queuedAt", "preProcessingAt", "processingAt", "completedAt"] as const)
      expect(job[phase]).toMatch(ISO);
    const { data } = await client.listDocuments(id, { ingestJobId: job.id });
    expect(data).toHaveLength(1);
    const [document] = data;
    expect(document!.id).toMatch(/^doc_/);
    expect(document).toMatchObject({
      ...{ ingestJobId: job.id, name: "leave.md", tenantId: null, status: "COMPLETED", config, totalPages: 1 },
      properties: { fileSize: text.length },
      source: { type: "TEXT", text },
    });
    expect(document!.totalChunks).toBeGreaterThan(0);
    expect(document!.totalTokens).toBeGreaterThan(0);
    expect(await client.getDocument(slug, document!.id)).toEqual(document);
  });

  it("accepts a batch whose items have their own configs", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const items = [
      { type: "TEXT", text: "First." },
      { type: "TEXT", text: "Second.", config: { metadata: { place: 2 } } },
    ];
    const job = await client.createIngestJob(id, {
      payload: { type: "BATCH", items },
      config: { metadata: { all: 1 } },
    });
    expect((await client.completed(id, job.id)).status).toBe("COMPLETED");
    const { data } = await client.listDocuments(id, { order: "asc" });
    expect(data.map(({ config }) => config.metadata)).toEqual([{ all: 1 }, { all: 1, place: 2 }]);
  });

  it("fails with the reason if its content cannot be fetched", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const torn = Buffer.from("%PDF-1.7 and no more");
    const file = { fileName: "a.pdf", contentType: "application/pdf", fileSize: torn.length };
    const upload = await client.createUpload(id, file);
    await client.put(upload, "application/pdf", torn);
    const job = await client.createIngestJob(id, { payload: { type: "MANAGED_FILE", key: upload.key } });
    const failed = await client.completed(id, job.id);
    expect([failed.status, typeof failed.error, typeof failed.failedAt]).toEqual(["FAILED", "string", "string"]);
    const { data } = await client.listDocuments(id, { statuses: "FAILED" });
    expect(data.map(({ error }) => typeof error)).toEqual(["string"]);
    expect(await statusOf(client.getChunksDownloadUrl(id, data[0]!.id))).toBe(400);
  });

  it("is ingested again under the same ids", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const job = await client.createIngestJob(id, { payload: { type: "TEXT", text: "Again and again." } });
    await client.completed(id, job.id);
    const before = await client.listDocuments(id);
    expect(await client.reIngestJob(id, job.id)).toEqual({ id: job.id });
    expect((await client.completed(id, job.id)).status).toBe("COMPLETED");
    const after = await client.listDocuments(id);
    expect(after.data.map((document) => document.id)).toEqual(before.data.map((document) => document.id));
    expect(await client.search(id, { query: "again" })).toHaveLength(1);
  });

  it("cannot be cancelled after its end", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const job = await client.createIngestJob(id, { payload: { type: "TEXT", text: "Done." } });
    await client.completed(id, job.id);
    expect(await statusOf(client.cancelIngestJob(id, job.id))).toBe(409);
  });

  it("is deleted with its documents; documents are deleted alone", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const texts = ["One lighthouse.", "Two lighthouses."].map((text) => ({ type: "TEXT", text }));
    const job = await client.createIngestJob(id, { payload: { type: "BATCH", items: texts } });
    await client.completed(id, job.id);
    const [document] = (await client.listDocuments(id)).data;
    expect(await client.deleteDocument(id, document!.id)).toMatchObject({ id: document!.id });
    expect(await client.search(id, { query: "lighthouse", mode: "keyword" })).toHaveLength(1);
    expect(await client.deleteIngestJob(id, job.id)).toMatchObject({ id: job.id });
    expect(await client.search(id, { query: "lighthouse", mode: "keyword" })).toEqual([]);
    await session.server.kb.drain();
    expect(await statusOf(client.getIngestJobInfo(id, job.id))).toBe(404);
    expect((await client.listDocuments(id)).data).toEqual([]);
  });
});

describe("an upload", () => {
  const MARKDOWN = "text/markdown; charset=utf-8";
  const BYTES = Buffer.from("# Käse\n\nIt keeps for weeks.");

  it("becomes a document that can be downloaded as its file and its chunks", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const file = { fileName: "käse.md", contentType: MARKDOWN, fileSize: BYTES.length };
    const upload = await client.createUpload(id, file);
    expect(new URL(upload.url).origin).toBe(session.server.url);
    await client.put(upload, MARKDOWN, BYTES);
    const config = { metadata: { shelf: 3 } };
    const job = await client.createIngestJob(id, { payload: { type: "MANAGED_FILE", key: upload.key }, config });
    expect((await client.completed(id, job.id)).status).toBe("COMPLETED");
    const [document] = (await client.listDocuments(id)).data;
    expect(document).toMatchObject({ name: "käse.md", source: { type: "MANAGED_FILE", key: upload.key } });

    const { url } = await client.getFileDownloadUrl(id, document!.id);
    const whole = await fetch(url);
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(BYTES);
    expect(whole.headers.get("content-disposition")).toMatch(/^attachment; .*filename\*=UTF-8''k%C3%A4se\.md/);
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    expect(whole.headers.get("content-length")).toBe(String(BYTES.length));
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(BYTES.length),
      "",
    ]);
    const part = await fetch(url, { headers: { range: "bytes=2-5" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 2-5/${BYTES.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(BYTES.subarray(2, 6));
    const end = await fetch(url, { headers: { range: "bytes=-3" } });
    expect([end.status, await end.text()]).toEqual([206, "ks."]);
    const beyond = await fetch(url, { headers: { range: `bytes=${BYTES.length}-` } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${BYTES.length}`]);

    const chunks = await fetch((await client.getChunksDownloadUrl(id, document!.id)).url);
    expect(chunks.headers.get("content-type")).toMatch(/^application\/json/);
    const found = (await chunks.json()) as { readonly metadata: object; readonly chunks: readonly object[] };
    expect(Object.keys(found)).toEqual(["metadata", "total_chunks", "total_characters", "chunks"]);
    expect(found).toMatchObject({ total_chunks: document!.totalChunks, total_characters: document!.totalCharacters });
    expect(found.metadata).toMatchObject({ shelf: 3 });
    expect(found.chunks).toHaveLength(document!.totalChunks);
    expect(found.chunks[0]).toEqual({
      id: `${document!.id}#0`,
      text: expect.stringContaining("It keeps for weeks."),
      metadata: { sequence_number: 0, headings: ["Käse"] },
    });
  });

  it("is created alone or in a batch of 1 to 100", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const files = Array.from({ length: 101 }, (_, place) => ({
      fileName: `${place}.txt`,
      contentType: "text/plain",
      fileSize: 1,
    }));
    expect(await client.createBatchUpload(id, { files: files.slice(0, 1) })).toHaveLength(1);
    const uploads = await client.createBatchUpload(id, { files: files.slice(0, 100) });
    expect(new Set(uploads.map(({ key }) => key)).size).toBe(100);
    for (const count of [0, 101])
      expect(await statusOf(client.createBatchUpload(id, { files: files.slice(0, count) }))).toBe(422);

    const [first, , third] = uploads;
    for (const upload of [first!, third!]) await client.put(upload, "text/plain", Buffer.from("x"));
    const items = [first!, third!].map(({ key }) => ({ type: "MANAGED_FILE", key }));
    const job = await client.createIngestJob(id, { payload: { type: "BATCH", items } });
    expect((await client.completed(id, job.id)).status).toBe("COMPLETED");
    const { data } = await client.listDocuments(id, { order: "asc" });
    expect(data.map(({ name }) => name)).toEqual(["0.txt", "2.txt"]);
  });

  it("has a file to download only if it was uploaded", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    const job = await client.createIngestJob(id, { payload: { type: "TEXT", text: "No file." } });
    await client.completed(id, job.id);
    const [document] = (await client.listDocuments(id)).data;
    expect(await statusOf(client.getFileDownloadUrl(id, document!.id))).toBe(400);
  });
});

it("a hosted page is enabled, changed and disabled", async () => {
  const { client, newNamespace, server } = session;
  const { id, name, slug } = await newNamespace();
  expect(await statusOf(client.getHosting(id))).toBe(404);
  expect(await statusOf(client.updateHosting(id, { title: "Off" }))).toBe(404);
  const enabled = await client.enableHosting(slug);
  expect(enabled).toMatchObject({
    ...{ namespaceId: id, title: name, protected: true, searchEnabled: true, topK: 50 },
    slug: expect.stringMatching(new RegExp(`^${slug}-\\w+`)),
    rerankConfig: { limit: 15 },
    url: `${server.url}/h/${enabled.slug}`,
  });
  expect(await statusOf(client.enableHosting(id))).toBe(409);
  expect(await client.getHosting(id)).toEqual(enabled);
  expect(await client.updateHosting(id, {})).toEqual(enabled);
  const flat = { rerankModel: "vendor_a:rerank-v3.5", rerankLimit: 7, llmModel: "vendor:model" };
  const changed = await client.updateHosting(id, { title: "Ask", ...flat });
  expect(changed).toMatchObject({
    title: "Ask",
    rerankConfig: { model: "vendor_a:rerank-v3.5", limit: 7 },
    llmConfig: { model: "vendor:model" },
  });
  const nested = { rerankConfig: { model: null, limit: 3 }, protected: false };
  expect(await client.updateHosting(id, nested, "PUT")).toMatchObject({ title: "Ask", ...nested });
  const last = await client.getHosting(id);
  expect(await client.disableHosting(id)).toEqual(last);
  expect(await statusOf(client.getHosting(id))).toBe(404);
});

it("DELETE returns the deleted record, or nothing with Prefer: return=minimal", async () => {
  const { newNamespace, organization, server, client } = session;
  const { id } = await newNamespace();
  const path = `/v1/namespace/${id}`;
  const headers = authorized(organization.key);
  await client.enableHosting(id);
  const whole = await send(server.url, { method: "DELETE", path: `${path}/hosting`, headers });
  expect([whole.status, JSON.parse(whole.text).data.namespaceId]).toEqual([200, id]);
  const minimal = { ...headers, prefer: "respond-async, return=minimal" };
  const none = await send(server.url, { method: "DELETE", path, headers: minimal });
  expect([none.status, none.text, none.headers["content-type"]]).toEqual([204, "", undefined]);
  expect(await statusOf(client.getNamespace(id))).toBe(404);
  const refused = await send(server.url, { method: "DELETE", path, headers: minimal });
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([404, "not_found"]);
});
