import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { InterfaceError } from "./support/interface-client.js";
import { type InterfaceSession, startSession } from "./support/interface-session.js";

let session: InterfaceSession;
beforeAll(async () => {
  session = await startSession();
});
afterEach(() => expect(session.checks.faults).toEqual([]));
afterAll(() => session.server.close());

/** Fields that callers must not set, and unknown ones. */
const EXTRAS = {
  id: "ns_00000000000000000000000000000000",
  organizationId: "org_other",
  createdAt: "1999-01-01T00:00:00.000Z",
  tenantId: "T1",
  status: "COMPLETED",
  namespaceId: "ns_other",
  error: "none",
  extra: { deep: [1, { er: null }] },
};
const PROTOTYPE = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');

it("creating a namespace ignores unknown keys at every depth", async () => {
  const { client, organization } = session;
  const made = await client.createNamespace({
    ...EXTRAS,
    ...{ name: "Extras", slug: "extras" },
    embeddingConfig: { provider: "MANAGED_LEXICAL", ...EXTRAS, chunker: "x" },
    vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC", extra: 1 },
  });
  expect(made.id).not.toBe(EXTRAS.id);
  expect(made.organizationId).toBe(organization.id);
  expect(made.createdAt > "2026").toBe(true);
  expect(JSON.stringify(made)).not.toMatch(/org_other|1999|chunker|extra"/);
  expect(await client.getNamespace("extras")).toEqual(made);

  expect(await client.updateNamespace("extras", { ...EXTRAS, name: "Renamed" })).toEqual({ ...made, name: "Renamed" });
  const refused = client.updateNamespace("extras", { name: "Never", embeddingConfig: { provider: "OPENAI" } });
  await expect(refused).rejects.toMatchObject({ status: 422, message: expect.stringContaining("embeddingConfig") });
  const both = client.updateNamespace("extras", { vectorStoreConfig: null, embeddingConfig: null });
  await expect(both).rejects.toMatchObject({ message: expect.stringMatching(/embeddingConfig.*vectorStoreConfig/) });
  expect((await client.getNamespace("extras")).name).toBe("Renamed");
});

it("creating a job ignores unknown keys at every depth", async () => {
  const { client, newNamespace } = session;
  const { id } = await newNamespace();
  const config = { chunkSize: 100, metadata: { kept: { id: 1, status: "mine" } } };
  const items = [{ type: "TEXT", text: "a", ...EXTRAS, config: { chunkSize: 64, ...EXTRAS } }];
  const job = await client.createIngestJob(id, {
    ...EXTRAS,
    payload: { type: "BATCH", items, ...EXTRAS },
    config: { ...config, ...EXTRAS },
  });
  expect(job).toMatchObject({ namespaceId: id, tenantId: null, error: null });
  expect(["BACKLOG", "QUEUED"]).toContain(job.status);
  expect(job.config).toEqual(config);
  expect(job.payload).toEqual({ type: "BATCH", items: [{ type: "TEXT", text: "a", config: { chunkSize: 64 } }] });
  expect((await client.completed(id, job.id)).status).toBe("COMPLETED");
});

it("search, uploads and hosting ignore unknown keys", async () => {
  const { client, newNamespace } = session;
  const { id } = await newNamespace();
  expect(await client.search(id, { query: "x", ...EXTRAS })).toEqual([]);
  const file = { fileName: "a.txt", contentType: "text/plain", fileSize: 1, key: "ns_other/file", ...EXTRAS };
  expect((await client.createUpload(id, file)).key).toMatch(new RegExp(`^${id}/`));
  expect(await client.createBatchUpload(id, { files: [file], ...EXTRAS })).toHaveLength(1);
  const rerankConfig = { model: null, limit: 3, ...EXTRAS };
  const hosting = await client.enableHosting(id, { ...EXTRAS, title: "T", rerankConfig });
  expect(hosting).toMatchObject({ namespaceId: id, title: "T", rerankConfig: { model: null, limit: 3 } });
  expect(hosting.createdAt > "2026").toBe(true);
});

it("no key reaches a prototype", async () => {
  const { client, newNamespace } = session;
  const { id } = await newNamespace();
  const text = { type: "TEXT", text: "Kept harbour." };
  const job = await client.createIngestJob(id, { ...PROTOTYPE, payload: { ...PROTOTYPE, ...text }, config: PROTOTYPE });
  await client.completed(id, job.id);
  const metadata = JSON.parse('{"__proto__":{"a":1},"constructor":"c","toString":"t"}');
  const second = await client.createIngestJob(id, { payload: text, config: { metadata } });
  await client.completed(id, second.id);
  const { data } = await client.listDocuments(id, { ingestJobId: second.id });
  expect(JSON.stringify(data[0]!.config.metadata)).toBe(JSON.stringify(metadata));
  const [hit] = await client.search(id, { query: "harbour", filter: { constructor: "c" } });
  expect(hit!.metadata?.toString).toBe("t");
  expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
});

it("known keys are still validated next to unknown ones", async () => {
  const { client } = session;
  const failure = await client.createNamespace({ ...EXTRAS, name: "", slug: "x" }).then(
    () => null,
    (error: InterfaceError) => error,
  );
  expect(failure).toBeInstanceOf(InterfaceError);
  expect(failure).toMatchObject({ status: 422, message: expect.stringMatching(/name.*slug/) });
  expect(failure!.message).not.toContain("organizationId");
});
