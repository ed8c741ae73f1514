import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { KnowledgeBase, type KnowledgeBaseOptions, type NamespaceHandle } from "lorebase";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { writeDatabase } from "../support/database.js";
import { failureOf, ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { makeXlsx } from "../support/make-office.js";
import { keyedEmbedder } from "../support/secret-provider.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const QUERIES = ["lamp", "parental leave", "keeper trims the wick", '"before sunset"'];

function open(directory: string, options: KnowledgeBaseOptions = {}): KnowledgeBase {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, embedders: [keyedEmbedder], ...options });
  onTestFinished(() => kb.close());
  return kb;
}

/** Fills a namespace with texts, a file, a tenant and metadata. */
async function fill(directory: string): Promise<void> {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Handbook", slug: "handbook" });
  const handbook = kb.namespace("handbook");
  const items = [
    "The lamp is lit before sunset.",
    "Parental leave is 16 weeks.",
    "Café, naïve \u{1f600} \ud800 lone.",
  ].map((text, index) => ({
    type: "TEXT" as const,
    text,
    config: { metadata: { year: 2020 + index, deep: { list: [1, null] } } },
  }));
  await handbook
    .ingest({ type: "BATCH", items }, { externalId: "batch-1", name: "Batch" })
    .done({ throwOnFailure: true });
  const body = new TextEncoder().encode(`# Keeper\n\n${"The keeper trims the wick at noon. ".repeat(200)}`);
  const { key } = await handbook.uploads.put({ fileName: "keeper.md", body });
  await handbook
    .ingest({ type: "MANAGED_FILE", key, fileName: "keeper.md" }, { chunkSize: 200 })
    .done({ throwOnFailure: true });
  const rows = [["Lamp"], ["Kind", "Oil"], ["Cup burner", 12]];
  const workbook = await handbook.uploads.put({ fileName: "oil.xlsx", body: makeXlsx([{ name: "Oil", rows }]) });
  await handbook.ingest({ type: "MANAGED_FILE", key: workbook.key }).done({ throwOnFailure: true });
  await ingestTexts(handbook.tenant("acme"), ["The tenant's lamp is red."]);
  // A document that is ingested again has several generations.
  const [job] = (await handbook.ingestJobs.list({ order: "asc" })).items;
  await handbook.ingestJobs.reingest(job!.id);
  await kb.drain();
  await kb.close();
}

const copyFilled = copiesOf(fill);

/** A knowledge base with that namespace, and the path for a bundle. */
async function makeNamespace() {
  const { directory } = await copyFilled();
  const folder = temporaryDirectory();
  const kb = open(directory);
  return { kb, handbook: kb.namespace("handbook"), directory, bundle: join(folder, "handbook.lorebase"), folder };
}

/** What a search returns, without ids. */
async function hitsOf(handle: NamespaceHandle) {
  const found = [];
  for (const query of QUERIES) {
    for (const mode of ["hybrid", "keyword", "semantic"] as const) {
      const hits = await handle.search(query, { mode, topK: 50 });
      found.push(
        hits.map(({ id: _, metadata, ...hit }) => ({
          ...hit,
          metadata: { ...metadata, documentId: "", namespaceId: "" },
        })),
      );
    }
  }
  return found;
}

/** Every row of the search index of a namespace, without ids. */
function rowsOf(directory: string, namespaceId: string) {
  const db = new Database(join(directory, "lorebase.db"), { readonly: true });
  try {
    return db
      .prepare(
        `SELECT c.ordinal, c.text, c.index_text, c.headings, c.page, c.metadata, c.tokens, c.start_offset, c.end_offset,
           c.boxes, c.stemming, hex(v.vector) AS vector, d.item, d.name, d.total_chunks, d.total_tokens, d.content_hash, d.tenant_id
         FROM documents d JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
         JOIN vectors v ON v.chunk_seq = c.seq WHERE d.namespace_id = ? ORDER BY c.seq`,
      )
      .all(namespaceId);
  } finally {
    db.close();
  }
}

/** The number of rows whose content has no hash to compare it with. */
function unhashedRows(directory: string): number {
  const tables = ["chunks", "vectors", "document_texts", "ingest_job_payloads"];
  const db = new Database(join(directory, "lorebase.db"), { readonly: true });
  try {
    const counts = tables.map((table) => db.prepare(`SELECT count(*) FROM ${table} WHERE hash IS NULL`).pluck().get());
    return (counts as number[]).reduce((sum, count) => sum + count, 0);
  } finally {
    db.close();
  }
}

describe("a bundle", () => {
  it("has the same passages, vectors, texts and hits in another organization, under another slug", async () => {
    const { kb, handbook, directory, bundle } = await makeNamespace();
    const contents = await kb.export("handbook", bundle, { includeOriginals: true });
    expect(contents).toMatchObject({ documents: 6, files: 2 });
    const organization = await kb.organizations.create({ id: "org_acme", name: "Acme" });
    const { namespace, ...imported } = await kb.organization(organization.id).import(bundle, { slug: "copy" });
    expect(imported).toEqual({ ...contents, reembedded: 0 });
    expect(namespace).toMatchObject({ slug: "copy", name: "Handbook", organizationId: "org_acme" });
    const copy = kb.organization("org_acme").namespace("copy");
    const { id } = await kb.namespaces.get("handbook");
    expect(rowsOf(directory, namespace.id)).toEqual(rowsOf(directory, id));
    expect(await hitsOf(copy)).toEqual(await hitsOf(handbook));
    expect(await hitsOf(copy.tenant("acme"))).toEqual(await hitsOf(handbook.tenant("acme")));
    const documents = (await copy.documents.list({ order: "asc" })).items;
    const originals = (await handbook.documents.list({ order: "asc" })).items;
    const textsOf = async (handle: NamespaceHandle, ids: readonly string[]) =>
      (await Promise.all(ids.map(async (id) => (await handle.documents.text(id)).text))).sort();
    const ids = documents.map(({ id }) => id);
    expect(originals.filter(({ id }) => ids.includes(id))).toEqual([]);
    expect(await textsOf(copy, ids)).toEqual(
      await textsOf(
        handbook,
        originals.map(({ id }) => id),
      ),
    );
    const file = documents.find(({ source }) => source.type === "MANAGED_FILE")!;
    expect(await new Response((await copy.documents.file(file.id)).body).text()).toContain("trims the wick");
    expect((await copy.ingestJobs.list()).items.find(({ name }) => name === "Batch")).toMatchObject({
      externalId: "batch-1",
      status: "COMPLETED",
    });
    expect(unhashedRows(directory)).toBe(0);
    for await (const event of kb.check()) expect(event.type).not.toBe("finding");
    // What was imported can be ingested again and deleted like any other document.
    await copy.ingestJobs.reingest(file.ingestJobId);
    await kb.drain();
    expect((await copy.search("keeper trims", { mode: "keyword" })).length).toBeGreaterThan(5);
    await kb.organization("org_acme").namespaces.delete("copy");
    await kb.drain();
    expect(rowsOf(directory, namespace.id)).toEqual([]);
  });

  it("can be imported into a new directory, and opened for reading only", async () => {
    const { kb, handbook, bundle, folder } = await makeNamespace();
    await kb.export("handbook", bundle);
    const shipped = join(folder, "shipped");
    const builder = open(shipped);
    await builder.import(bundle);
    await builder.close();
    const reader = open(shipped, { readOnly: true });
    expect(await hitsOf(reader.namespace("handbook"))).toEqual(await hitsOf(handbook));
    // The original was not asked for.
    const [file] = (await reader.namespace("handbook").documents.list()).items.filter(
      ({ source }) => source.type === "MANAGED_FILE",
    );
    expect((await failureOf(() => reader.documents.file("handbook", file!.id))).code).toBe("unsupported");
  });

  it.each(["chunks", "document_texts", "vectors"])("is not written while %s are damaged", async (table) => {
    const { kb, directory, bundle } = await makeNamespace();
    const db = new Database(join(directory, "lorebase.db"));
    db.exec(`UPDATE ${table} SET hash = hash + 1`);
    db.close();
    expect(await failureOf(() => kb.export("handbook", bundle))).toMatchObject({
      code: "not_ready",
      message: expect.stringContaining("damaged"),
    });
    expect(existsSync(bundle)).toBe(false);
  });

  it("is refused if the slug is taken, and for one tenant", async () => {
    const { kb, handbook, bundle } = await makeNamespace();
    await kb.export("handbook", bundle);
    expect(await failureOf(() => kb.import(bundle))).toMatchObject({ code: "conflict" });
    expect((await failureOf(() => handbook.tenant("acme").export(bundle))).code).toBe("unsupported");
    expect((await failureOf(() => kb.import(`${bundle}.missing`))).code).toBe("not_found");
    expect((await kb.namespaces.list()).items).toHaveLength(1);
  });

  it("says what has to be embedded again for another embedder, and does so if asked", async () => {
    const { kb, bundle } = await makeNamespace();
    const { chunks } = await kb.export("handbook", bundle);
    const embeddingConfig = { provider: "MANAGED_STATIC" };
    const refused = await failureOf(() => kb.import(bundle, { slug: "static", embeddingConfig }));
    expect(refused).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`${chunks} passages have to be embedded again`),
    });
    await kb.drain();
    const { reembedded } = await kb.import(bundle, { slug: "static", embeddingConfig, reembed: true });
    expect(reembedded).toBe(chunks);
    const [hit] = await kb.search("static", "when is the lamp lit", { mode: "semantic" });
    expect(hit!.text).toContain("lamp");
  });

  it("has no keys of providers, and needs a configuration for a service", async () => {
    const { kb, bundle } = await makeNamespace();
    const local = open(join(bundle, "..", "keyed"), {
      network: { allowPrivateHosts: ["127.0.0.1"] },
      calls: { attempts: 1 },
    });
    const embeddingConfig = { provider: "KEYED", endpoint: "http://127.0.0.1:9/", apiKey: "sk-0123456789abcdef-wxyz" };
    await local.namespaces.create({ name: "Keyed", slug: "keyed", embeddingConfig });
    await local.export("keyed", bundle);
    const text = readFileSync(bundle, "utf8");
    expect([text.includes("wxyz"), text.includes("apiKey")]).toEqual([false, false]);
    const refused = await failureOf(() => kb.import(bundle));
    expect(refused.issues.map(({ field }) => field)).toEqual(["embeddingConfig"]);
    expect((await local.import(bundle, { slug: "again", embeddingConfig })).namespace.embeddingConfig.apiKey).toBe(
      "••••wxyz",
    );
  });
});

/** The lines of a bundle, and a function that writes lines with valid hashes. */
function linesOf(bundle: string) {
  const records = readFileSync(bundle, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line.slice(33)));
  const write = (path: string, changed: readonly unknown[]) => {
    let previous: Buffer = Buffer.alloc(32);
    const lines = changed.map((record) => {
      const json = Buffer.from(JSON.stringify(record));
      previous = createHash("sha256").update(previous).update(json).digest();
      return `${previous.toString("hex").slice(0, 32)} ${json}\n`;
    });
    writeFileSync(path, lines.join(""));
  };
  return { records, write };
}

describe("a damaged or hostile bundle", () => {
  it("is refused with the place named, and leaves nothing", async () => {
    const { kb, bundle, folder, directory } = await makeNamespace();
    await kb.export("handbook", bundle, { includeOriginals: true });
    const whole = readFileSync(bundle);
    const damaged = join(folder, "damaged");
    const line = (at: number) => whole.subarray(0, at).toString("latin1").split("\n").length;
    for (let step = 0; step < 60; step++) {
      const at = Math.floor((whole.length / 60) * step);
      const changed = Buffer.from(whole);
      changed[at]! ^= 1 << (step % 8);
      writeFileSync(damaged, changed);
      const { code, message } = await failureOf(() => kb.import(damaged, { slug: "copy" }));
      expect([at, code]).toEqual([at, "invalid_input"]);
      expect(message).toContain(`line ${line(at)},`);
      writeFileSync(damaged, whole.subarray(0, at));
      expect((await failureOf(() => kb.import(damaged, { slug: "copy" }))).message).toMatch(/cut off|first line/);
    }
    expect((await kb.namespaces.list()).items).toHaveLength(1);
    const db = new Database(join(directory, "lorebase.db"), { readonly: true });
    expect(db.prepare("SELECT count(*) AS n FROM namespaces").get()).toEqual({ n: 1 });
    db.close();
  });

  it("is refused even if its hashes are right", async () => {
    const { kb, bundle, folder } = await makeNamespace();
    await kb.export("handbook", bundle, { includeOriginals: true });
    const { records, write } = linesOf(bundle);
    const first = (type: string) => records.findIndex((record) => record.type === type);
    const replaced = (index: number, change: object) =>
      records.map((record, at) => (at === index ? { ...record, ...change } : record));
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const [chunk, document, header, job, file] = ["chunk", "document", "header", "job", "file"].map(first) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const { vector } = records[chunk];
    const notFinite = Buffer.from(vector, "base64");
    notFinite.writeFloatLE(Number.NaN, 0);
    const CASES: Record<string, readonly unknown[]> = {
      "no header": records.slice(1),
      "another version": replaced(header, { version: 2 }),
      "no end": records.slice(0, -1),
      "a record after the end": [...records, records[document]],
      "an unknown field": replaced(chunk, { seq: 1 }),
      "a missing chunk": records.filter((_, index) => index !== chunk),
      "a chunk twice": records.flatMap((record, index) => (index === chunk ? [record, record] : [record])),
      "an ordinal": replaced(chunk, { ordinal: 7 }),
      "a short vector": replaced(chunk, { vector: Buffer.alloc(8).toString("base64") }),
      "a vector that is not finite": replaced(chunk, { vector: notFinite.toString("base64") }),
      "too many cells": replaced(chunk, { boxes: JSON.stringify(new Array(257).fill(["", 1, 1, 1, 9, 0, 1])) }),
      "deep metadata": replaced(chunk, { metadata: `{"a":${deep}}` }),
      "metadata that is a list": replaced(chunk, { metadata: "[]" }),
      "a job of nobody": replaced(document, { job: 99 }),
      "a source of an unknown type": replaced(document, { source: '{"type":"SHELL"}' }),
      "a config that is no object": replaced(document, { config: "7" }),
      "an unknown job type": replaced(job, { payload: '{"type":"SHELL"}' }),
      "a tenant id": replaced(job, { tenantId: "../x" }),
      "another file hash": replaced(file, { sha256: "0".repeat(64) }),
      "another file size": replaced(file, { size: 1 }),
      "a slug": replaced(header, { namespace: { ...records[header].namespace, slug: "../../etc" } }),
      "other numbers": replaced(records.length - 1, { chunks: 1 }),
    };
    const path = join(folder, "hostile");
    for (const [name, changed] of Object.entries(CASES)) {
      write(path, changed);
      const { code } = await failureOf(() => kb.import(path, name === "a slug" ? {} : { slug: "copy" }));
      expect([name, code]).toEqual([name, "invalid_input"]);
    }
    // Two jobs with the same external id are only found while the import writes.
    const named = records.findIndex(({ type, externalId }) => type === "job" && externalId !== null);
    const number = records.slice(0, named).filter(({ type }) => type === "job").length;
    const shifted = records.flatMap((record, index) => {
      if (record.type === "end") return [{ ...record, jobs: record.jobs + 1 }];
      if (record.type === "document" && record.job >= number) return [{ ...record, job: record.job + 1 }];
      return index === named ? [record, record] : [record];
    });
    write(path, shifted);
    await failureOf(() => kb.import(path, { slug: "copy" }));
    expect((await kb.namespaces.list()).items).toHaveLength(1);
    await kb.drain();
    write(path, replaced(chunk, { boxes: '[["Oil", 1, 1, 2, 9, 0, 4, 1], ["Oil", 1, 12, 2, 13, 5, 9]]' }));
    expect((await kb.import(path, { slug: "copy" })).namespace.slug).toBe("copy");
  });

  it("leaves nothing of an import whose process was killed", async () => {
    const folder = temporaryDirectory();
    const directory = join(folder, "kb");
    const bundle = join(folder, "bundle");
    const kb = open(directory);
    await kb.namespaces.create({ name: "Many", slug: "many" });
    await ingestTexts(
      kb.namespace("many"),
      Array.from({ length: 1000 }, (_, index) => `Lamp ${index} of pier ${index % 31}.`),
    );
    await kb.export("many", bundle);
    await kb.close();
    const library = new URL("../../dist/index.js", import.meta.url).href;
    const script = `import { KnowledgeBase } from ${JSON.stringify(library)};
      await new KnowledgeBase({ directory: ${JSON.stringify(directory)}, worker: false }).import(${JSON.stringify(bundle)}, { slug: "copy" });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const count = (sql: string) => {
      const db = new Database(join(directory, "lorebase.db"), { readonly: true });
      try {
        return (db.prepare(sql).get() as { n: number }).n;
      } finally {
        db.close();
      }
    };
    const documents =
      "SELECT count(*) AS n FROM documents WHERE namespace_id IN (SELECT id FROM namespaces WHERE deleted_at IS NOT NULL)";
    await expect.poll(() => count(documents), { interval: 20 }).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    // The worker waits until the import has not renewed itself for two minutes.
    const soon = open(directory);
    await soon.namespaces.create({ name: "Other", slug: "other" });
    await ingestTexts(soon.namespace("other"), ["The worker runs."]);
    await soon.close();
    expect(count("SELECT count(*) AS n FROM tasks WHERE kind = 'delete_namespace' AND attempt = 0")).toBe(1);
    const later = open(directory, { clock: () => new Date(Date.now() + 5 * 60_000) });
    expect((await later.namespaces.list()).items.map(({ slug }) => slug).sort()).toEqual(["many", "other"]);
    await later.drain();
    expect(count("SELECT count(*) AS n FROM namespaces")).toBe(2);
    expect(count("SELECT count(*) AS n FROM documents")).toBe(1001);
    expect((await later.import(bundle, { slug: "copy" })).documents).toBe(1000);
  });
});

it("flushes the name of an exported bundle to disk before it reports success", async () => {
  const { kb, bundle, folder } = await makeNamespace();
  const handle = await openFile(folder, "r");
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  const { ino } = await handle.stat();
  await handle.close();
  const flushed: boolean[] = [];
  const original = prototype.sync;
  const sync = vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    if ((await this.stat()).ino === ino) flushed.push(existsSync(bundle));
    return original.call(this);
  });
  onTestFinished(() => sync.mockRestore());
  await kb.export("handbook", bundle);
  expect(flushed).toEqual([true]);
});

it("leaves no file of an export that was aborted", async () => {
  const { kb, bundle, folder } = await makeNamespace();
  await expect(kb.export("handbook", bundle, { signal: AbortSignal.abort() })).rejects.toThrow("abort");
  expect(existsSync(bundle)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  expect((await failureOf(() => kb.export("handbook", join(folder, "missing", "x")))).code).toBe("store_failed");
});

it("leaves out a document of which only the first pages are published", async () => {
  const { kb, bundle, directory } = await makeNamespace();
  const { documents } = await kb.export("handbook", bundle);
  writeDatabase(directory, [
    {
      sql: "UPDATE documents SET partial_generation = generation WHERE seq = (SELECT max(seq) FROM documents WHERE generation > 0)",
    },
  ]);
  expect(await kb.export("handbook", `${bundle}-later`)).toMatchObject({ documents: documents - 1 });
});
