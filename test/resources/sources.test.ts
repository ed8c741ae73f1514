import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { storedBytes } from "../support/stored-bytes.js";

let root: string;
let kb: KnowledgeBase;
let handle: NamespaceHandle;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "lorebase-sources-"));
  kb = openKnowledgeBase({ directory: join(root, "kb") });
  handle = await newNamespace(kb);
});
afterAll(async () => {
  await kb.close();
  await rm(root, { recursive: true });
});

async function ingested(input: Parameters<NamespaceHandle["ingest"]>[0]) {
  const space = await newNamespace(kb);
  const job = await (await space.ingest(input)).done();
  const documents = (await space.documents.list({ order: "asc" })).items;
  return { space, job, documents, names: documents.map(({ name }) => name) };
}

it("takes a file that was put before, under the name it is given", async () => {
  const body = Buffer.from("# Lamps\n\nA lamp burns.");
  const { key } = await handle.uploads.put({ fileName: "lamps.md", body });
  for (const fileName of [undefined, "renamed.md"]) {
    const run = await handle.ingest({ type: "MANAGED_FILE", key, fileName });
    expect((await run.done()).status).toBe("COMPLETED");
    const [document] = (await handle.documents.list({ ingestJobId: run.id })).items;
    expect(document).toMatchObject({
      name: fileName ?? "lamps.md",
      source: { type: "MANAGED_FILE", key },
      properties: { fileSize: body.length, mimeType: "text/markdown" },
    });
  }
  const [hit] = await handle.search("lamp burns", { filter: { filename: "renamed.md" } });
  expect(hit!.metadata).toMatchObject({ filename: "renamed.md", headings: ["Lamps"] });
});

it("refuses a key that names no finished upload of the namespace", async () => {
  const { key: foreign } = await (await newNamespace(kb)).uploads.put({ fileName: "a.txt", body: Buffer.from("x") });
  const { key: pending } = await handle.uploads.create({ fileName: "a.txt", contentType: "text/plain", fileSize: 1 });
  for (const key of [foreign, pending, "no/key", "../secret.key"]) {
    const error = await failureOf(() => handle.ingest({ type: "BATCH", items: [{ type: "MANAGED_FILE", key }] }));
    expect(error.code).toBe("invalid_input");
    expect(error.message).toContain("File not found");
  }
});

it("takes local files, folders, patterns and bytes, and copies them first", async () => {
  const folder = join(root, "docs");
  await mkdir(join(folder, "deep [1]"), { recursive: true });
  for (const name of ["b.md", "a.txt", "deep [1]/c.md", ".hidden.md"])
    await writeFile(join(folder, name), `lamp ${name}`);

  expect((await ingested({ file: join(folder, "a.txt") })).names).toEqual(["a.txt"]);
  expect((await ingested({ file: { name: "memory.txt", body: Buffer.from("lamp") } })).names).toEqual(["memory.txt"]);
  expect((await ingested({ files: join(folder, "**/*.md") })).names).toEqual(["b.md", "c.md"]);
  expect((await ingested({ files: folder })).names.toSorted()).toEqual(["a.txt", "b.md", "c.md"]);
  expect((await ingested({ files: [join(folder, "deep [1]")] })).names).toEqual(["c.md"]);
  const mixed = await ingested({ files: [join(folder, "a.txt"), { name: "m.txt", body: new Blob(["lamp"]) }] });
  expect(mixed.names).toEqual(["a.txt", "m.txt"]);
  expect(await mixed.space.search("lamp")).toHaveLength(2);

  const idle = openKnowledgeBase({ worker: false });
  const later = await newNamespace(idle);
  await later.ingest({ file: join(folder, "a.txt") });
  await rm(folder, { recursive: true });
  await idle.drain();
  expect((await later.search("lamp")).map(({ text }) => text)).toEqual(["lamp a.txt"]);
  await idle.close();
});

it("stores nothing where an option is wrong", async () => {
  const space = await newNamespace(kb);
  const blobs = async () => (await readdir(join(root, "kb", "blobs"), { recursive: true })).length;
  const before = await blobs();
  const file = { name: "a.txt", body: Buffer.from("lamp") };
  expect((await failureOf(() => space.ingest({ file }, { chunkSize: 1 }))).code).toBe("invalid_input");
  expect(await blobs()).toBe(before);
});

it("ends a crawl of a refused address as FAILED with the reason", async () => {
  const { job, documents } = await ingested({ type: "CRAWL", url: "http://10.0.0.1/" });
  expect(job.status).toBe("FAILED");
  expect(job.error).toContain("The URL is not allowed");
  expect(documents).toHaveLength(0);
});

it("completes the others of a batch with a file from the web", async () => {
  const { job, documents, space } = await ingested({
    type: "BATCH",
    items: [
      { type: "TEXT", text: "A lamp." },
      { type: "FILE", fileUrl: "http://10.0.0.1/a.pdf" },
      { type: "TEXT", text: "Another lamp." },
    ],
  });
  expect(documents.map(({ status }) => status)).toEqual(["COMPLETED", "FAILED", "COMPLETED"]);
  expect(job.error).toMatch(/^1 of 3 documents failed\. First failure: "a\.pdf": The URL is not allowed/);
  expect(await space.search("lamp")).toHaveLength(2);
});

it("keeps headers and credentials of addresses out of sight", async () => {
  const secrets = ["hush-header", "hush-user", "hush-pass"];
  const url = "https://hush-user:hush-pass@10.0.0.1/docs";
  const space = await newNamespace(kb);
  const crawl = await space.ingestJobs.create({
    payload: { type: "CRAWL", url, headers: { Authorization: "hush-header", Cookie: "a=hush-header" } },
  });
  const file = await space.ingestJobs.create({ payload: { type: "FILE", fileUrl: url } });
  const batch = await space.ingestJobs.create({
    payload: {
      type: "BATCH",
      items: [
        { type: "TEXT", text: "x" },
        { type: "FILE", fileUrl: url },
      ],
    },
  });
  await kb.drain();
  for (const { id } of [crawl, file, batch]) await (await space.ingestJobs.watch(id)).done();

  const shown = JSON.stringify([
    crawl,
    file,
    batch,
    (await space.ingestJobs.list()).items,
    (await space.documents.list()).items,
  ]);
  for (const secret of secrets) expect(shown).not.toContain(secret);
  expect(crawl.payload).toMatchObject({
    type: "CRAWL",
    url: "https://••••:••••@10.0.0.1/docs",
    headers: { Authorization: "••••", Cookie: "••••" },
  });
  expect(file.payload).toEqual({ type: "FILE", fileUrl: "https://••••:••••@10.0.0.1/docs" });
  const stored = storedBytes(join(root, "kb"));
  expect([...stored.values()].some((bytes) => bytes.includes(file.id))).toBe(true);
  for (const [name, bytes] of stored)
    for (const secret of secrets) expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
});
