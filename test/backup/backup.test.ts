import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { KnowledgeBase, type KnowledgeBaseOptions, restoreBackup } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { writeDatabase } from "../support/database.js";
import { failureOf, ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { keyedEmbedder } from "../support/secret-provider.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const text = (bytes: string) => new TextEncoder().encode(bytes);

function open(directory: string, options: KnowledgeBaseOptions = {}): KnowledgeBase {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, embedders: [keyedEmbedder], ...options });
  onTestFinished(() => kb.close());
  return kb;
}

const copyFilled = copiesOf(async (directory) => {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Handbook", slug: "handbook" });
  await ingestTexts(kb.namespace("handbook"), ["The lamp is lit before sunset.", "Parental leave is 16 weeks."]);
  await ingestFile(kb, "The keeper trims the wick at noon.");
  await kb.close();
});

/** A knowledge base with two texts and a file, the path of a new backup, and one of a new directory. */
async function makeKnowledgeBase(options: KnowledgeBaseOptions = {}) {
  const { directory } = await copyFilled();
  const folder = temporaryDirectory();
  const kb = open(directory, options);
  return { kb, directory, backup: join(folder, "backup"), restored: join(folder, "restored") };
}

async function ingestFile(kb: KnowledgeBase, content: string): Promise<string> {
  const handbook = kb.namespace("handbook");
  const { key } = await handbook.uploads.put({ fileName: "keeper.md", body: text(content) });
  const { id } = await handbook.ingest({ type: "MANAGED_FILE", key, fileName: "keeper.md" }).done();
  return (await handbook.documents.list({ ingestJobId: id })).items[0]!.id;
}

/** The keys of the files of a knowledge base or a backup, sorted. */
function blobsIn(folder: string): string[] {
  const names = readdirSync(join(folder, "blobs"), { recursive: true }) as string[];
  return names.filter((name) => /\/[0-9a-f]{32}$/.test(name)).sort();
}

/** Bytes with one changed bit. */
function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed[Math.floor(changed.length / 2)]! ^= 1;
  return changed;
}

/** What a reader sees: hits, documents and the contents of files. */
async function contentsOf(kb: KnowledgeBase) {
  const handbook = kb.namespace("handbook");
  const documents = (await handbook.documents.list({ order: "asc" })).items;
  const files = documents.filter(({ source }) => source.type === "MANAGED_FILE");
  return {
    hits: await handbook.search("lamp keeper leave"),
    documents,
    files: await Promise.all(
      files.map(async ({ id }) => new Response((await handbook.documents.file(id)).body).text()),
    ),
  };
}

describe("backup", () => {
  it("has everything, is restored into another directory, and is verified", async () => {
    const { kb, backup, restored } = await makeKnowledgeBase();
    const manifest = await kb.backup(backup, { verify: true });
    expect(manifest.counts).toEqual({ namespaces: 1, documents: 3, chunks: 3, files: 1 });
    expect(await restoreBackup(backup, restored)).toEqual({ ...manifest, missingFiles: [] });
    expect(readdirSync(restored).sort()).toEqual(["blobs", "lorebase.db"]);
    const copy = open(restored);
    expect(await contentsOf(copy)).toEqual(await contentsOf(kb));
    // The copy goes on by itself.
    await ingestTexts(copy.namespace("handbook"), ["The harbour pilots meet at six."]);
    expect((await copy.namespace("handbook").documents.list()).items).toHaveLength(4);
    expect((await kb.namespace("handbook").documents.list()).items).toHaveLength(3);
  });

  it("names vector stores that have vectors of their own", async () => {
    const { kb, backup, restored } = await makeKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())] });
    await kb.namespaces.create({ name: "Other", slug: "other", vectorStoreConfig: { provider: "MEMORY" } });
    const vectorStores = [{ provider: "MEMORY", namespaces: 1 }];
    expect(await kb.backup(backup)).toMatchObject({ vectorStores });
    expect(await restoreBackup(backup, restored)).toMatchObject({ vectorStores });
  });

  it("sends vectors of a re-embedding to their store again, which the original may have discarded", async () => {
    const store = memoryVectorStore();
    const options = { vectorStores: [providerOf(store)] };
    const { kb, backup, restored } = await makeKnowledgeBase(options);
    const { reembedding } = kb.namespace("handbook");
    await reembedding.start({ vectorStoreConfig: { provider: "MEMORY" } });
    expect(await reembedding.wait()).toMatchObject({ state: "ready", embedded: 3 });
    await kb.backup(backup);
    expect(await reembedding.get()).toMatchObject({ state: "ready", embedded: 3 });
    await reembedding.discard();
    await reembedding.wait();
    expect(store.size).toBe(0);
    await restoreBackup(backup, restored);
    const second = open(restored, options);
    const copy = second.namespace("handbook");
    const search = async () => (await copy.search("lamp keeper", { mode: "semantic" })).map(({ text }) => text);
    const before = await search();
    expect(before).toHaveLength(3);
    await copy.reembedding.cutOver();
    expect(await copy.reembedding.wait()).toMatchObject({ state: "cut_over" });
    expect(store.size).toBe(3);
    expect(await search()).toEqual(before);

    // A store that searches use is filled again by a re-embedding into it.
    await copy.reembedding.discard();
    await copy.reembedding.wait();
    const { organizationId, id, vectorStoreConfig } = await second.namespaces.get("handbook");
    await store.delete({ organizationId, namespaceId: `${id}_1`, tenantId: null }, "all");
    expect(await search()).toEqual([]);
    await copy.reembedding.start({ vectorStoreConfig }, { cutOver: "automatic" });
    await copy.reembedding.wait();
    expect(await search()).toEqual(before);
  });

  it("copies only new files into a folder with an earlier backup, and removes those that were deleted", async () => {
    const { kb, backup, restored } = await makeKnowledgeBase();
    await kb.backup(backup);
    const blobs = () => blobsIn(backup);
    const [first] = blobs() as [string];
    const { mtimeMs } = statSync(join(backup, "blobs", first));
    const added = await ingestFile(kb, "The second keeper sleeps.");
    await kb.backup(backup);
    expect(blobs()).toHaveLength(2);
    expect(statSync(join(backup, "blobs", first)).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(backup).filter((name) => name.startsWith("database-"))).toHaveLength(1);
    await kb.documents.delete("handbook", added);
    await kb.drain();
    await kb.backup(backup);
    expect(blobs()).toEqual([first]);
    await restoreBackup(backup, restored);
    expect(await contentsOf(open(restored))).toEqual(await contentsOf(kb));
  });

  it("refuses folders with other contents, a second backup at a time, and a knowledge base as a target", async () => {
    const { kb, directory, backup } = await makeKnowledgeBase();
    mkdirSync(backup);
    writeFileSync(join(backup, "notes.txt"), "mine");
    expect(await failureOf(() => kb.backup(backup))).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("notes.txt"),
    });
    expect((await failureOf(() => kb.backup(directory))).code).toBe("conflict");
    rmSync(join(backup, "notes.txt"));
    const results = await Promise.allSettled([kb.backup(backup), kb.backup(backup)]);
    const refused = results.find((result) => result.status === "rejected");
    expect(refused?.reason).toMatchObject({ code: "conflict", retryable: true });
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("names files that the knowledge base has lost, that can't be read or that changed, and has the rest", async () => {
    const { kb, directory, backup, restored } = await makeKnowledgeBase();
    await ingestFile(kb, "The second keeper sleeps.");
    await ingestFile(kb, "The third keeper cooks.");
    const blobs = join(directory, "blobs");
    const [lost, changed, unreadable] = blobsIn(directory) as [string, string, string];
    rmSync(join(blobs, lost));
    rmSync(join(blobs, unreadable));
    mkdirSync(join(blobs, unreadable));
    writeFileSync(join(blobs, changed), flipped(readFileSync(join(blobs, changed))));
    const { damagedFiles } = await kb.backup(backup, { verify: true });
    expect([...damagedFiles].sort()).toEqual([lost, changed, unreadable]);
    expect((await restoreBackup(backup, restored)).missingFiles).toEqual(damagedFiles);
    expect((await open(restored).search("handbook", "lamp")).length).toBeGreaterThan(0);
  });

  it("stops at a file that can't be written", async () => {
    const { kb, directory, backup } = await makeKnowledgeBase();
    const [key] = blobsIn(directory) as [string];
    mkdirSync(join(backup, "blobs", key), { recursive: true });
    writeFileSync(join(backup, "blobs", key, "file"), "");
    expect(await failureOf(() => kb.backup(backup))).toMatchObject({
      code: "store_failed",
      message: expect.stringContaining(key),
    });
  });

  it("lets the write-ahead log be emptied while the copy of the database is hashed", async () => {
    const { kb, directory, backup } = await makeKnowledgeBase();
    const database = new Database(join(directory, "lorebase.db"), { timeout: 1000 });
    const handle = await openFile(join(directory, "lorebase.db"));
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    const original = prototype.createReadStream;
    const busy: unknown[] = [];
    const read = vi.spyOn(prototype, "createReadStream").mockImplementation(function (this: FileHandle, options) {
      // Newer than the snapshot: the log can't be emptied while that is open.
      database.exec("UPDATE namespaces SET name = name");
      busy.push(database.pragma("wal_checkpoint(TRUNCATE)", { simple: true }));
      return original.call(this, options);
    });
    onTestFinished(() => {
      read.mockRestore();
      database.close();
    });
    await kb.backup(backup);
    expect(busy).toEqual([0]);
  });

  it("can be aborted, and leaves the earlier backup", async () => {
    const { kb, backup } = await makeKnowledgeBase();
    const earlier = await kb.backup(backup);
    await ingestTexts(
      kb.namespace("handbook"),
      Array.from({ length: 200 }, (_, index) => `Lamp ${index}. ${"x".repeat(2000)}`),
    );
    const abort = new AbortController();
    const running = kb.backup(backup, { bytesPerSecond: 65_536, signal: abort.signal });
    await expect.poll(() => readdirSync(backup).filter((name) => name.endsWith(".db")).length).toBe(2);
    abort.abort();
    await expect(running).rejects.toThrow("abort");
    await restoreBackup(backup, join(backup, "..", "restored"));
    expect(JSON.parse(readFileSync(join(backup, "manifest.json"), "utf8"))).toEqual(earlier);
    // The next backup removes what is left.
    await kb.backup(backup);
    expect(readdirSync(backup).filter((name) => name.startsWith("database-"))).toHaveLength(1);
  });

  it("is never taken for whole after its process was killed", async () => {
    const { kb, directory, backup, restored } = await makeKnowledgeBase();
    await ingestTexts(
      kb.namespace("handbook"),
      Array.from({ length: 200 }, (_, index) => `Lamp ${index}. ${"x".repeat(2000)}`),
    );
    const library = new URL("../../dist/index.js", import.meta.url).href;
    const script = `import { KnowledgeBase } from ${JSON.stringify(library)};
      await new KnowledgeBase({ directory: ${JSON.stringify(directory)}, worker: false }).backup(${JSON.stringify(backup)}, { bytesPerSecond: 65536 });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await expect
      .poll(() => existsSync(backup) && readdirSync(backup).some((name) => name.startsWith("database-")))
      .toBe(true);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    expect(await failureOf(() => restoreBackup(backup, restored))).toMatchObject({ code: "not_found" });
    await kb.backup(backup, { verify: true });
    expect(readdirSync(backup).filter((name) => name.endsWith(".db"))).toHaveLength(1);
  });

  it("removes the files that SQLite leaves next to a copy when its process is killed", async () => {
    const { kb, backup } = await makeKnowledgeBase();
    await kb.backup(backup);
    const killed = "database-0123456789abcdef.db";
    const left = ["", "-journal", "-wal", "-shm"].map((suffix) => `${killed}${suffix}`);
    for (const name of [...left, "lock-journal"]) writeFileSync(join(backup, name), "");
    await kb.backup(backup);
    expect(readdirSync(backup).filter((name) => name.startsWith(killed))).toEqual([]);
  });

  it("is unsupported for a database server, and says what to use", async () => {
    const { refuseSnapshot } = await import("#dist/storage/postgres/refuse-snapshot.js");
    const { code, message } = await failureOf(refuseSnapshot);
    expect([code, message]).toEqual(["unsupported", expect.stringContaining("pg_dump")]);
  });
});

describe("restore", () => {
  it("refuses a directory in use or with other contents, and leaves it as it was", async () => {
    const { kb, directory, backup, restored } = await makeKnowledgeBase();
    await kb.backup(backup);
    const before = readdirSync(directory);
    expect(await failureOf(() => restoreBackup(backup, directory))).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("has a knowledge base"),
    });
    expect(readdirSync(directory)).toEqual(before);
    mkdirSync(restored);
    writeFileSync(join(restored, "notes.txt"), "mine");
    expect((await failureOf(() => restoreBackup(backup, restored))).message).toContain("notes.txt");
    expect(readdirSync(restored)).toEqual(["notes.txt"]);
  });

  it("goes on without files that are damaged in the backup, and names them, until a verified backup copies them again", async () => {
    const { kb, backup, restored } = await makeKnowledgeBase();
    await ingestFile(kb, "The second keeper sleeps.");
    await kb.backup(backup);
    const [changed, lost] = blobsIn(backup) as [string, string];
    const path = join(backup, "blobs", changed);
    writeFileSync(path, flipped(readFileSync(path)));
    rmSync(join(backup, "blobs", lost));
    const { missingFiles } = await restoreBackup(backup, restored);
    expect([...missingFiles].sort()).toEqual([changed, lost].sort());
    const copy = open(restored);
    expect(await copy.search("handbook", "keeper")).toEqual(await kb.search("handbook", "keeper"));
    const found: (string | null)[] = [];
    for await (const event of copy.check()) if (event.type === "finding") found.push(event.finding.documentId);
    const documents = (await kb.namespace("handbook").documents.list()).items;
    const withFiles = documents.filter(({ source }) => source.type === "MANAGED_FILE").map(({ id }) => id);
    expect(found.toSorted()).toEqual(withFiles.toSorted());
    // A file that is there is compared only if that is asked for.
    await kb.backup(backup);
    expect((await restoreBackup(backup, `${restored}-again`)).missingFiles).toEqual([changed]);
    expect(await kb.backup(backup, { verify: true })).toMatchObject({ damagedFiles: [] });
    expect((await restoreBackup(backup, `${restored}-healed`)).missingFiles).toEqual([]);
  });

  it("is verified as a check compares it, before it takes the place of the earlier one", async () => {
    const { kb, directory, backup, restored } = await makeKnowledgeBase();
    const earlier = await kb.backup(backup);
    const changed = "UPDATE chunks SET text = 'The lamp is lit at noon.' WHERE text LIKE 'The lamp%'";
    writeDatabase(directory, [{ sql: changed }]);
    expect(await failureOf(() => kb.backup(backup, { verify: true }))).toMatchObject({
      code: "store_failed",
      message: expect.stringMatching(/doc_\w+: Its chunk 1 is not what was written/),
    });
    expect(await restoreBackup(backup, restored)).toEqual({ ...earlier, missingFiles: [] });
  });

  it("refuses a backup with a damaged database, names the file, and leaves nothing", async () => {
    const { kb, backup, restored } = await makeKnowledgeBase();
    const { database } = await kb.backup(backup);
    const path = join(backup, database.file);
    for (const damaged of [flipped(readFileSync(path)), readFileSync(path).subarray(1)]) {
      writeFileSync(path, damaged);
      expect(await failureOf(() => restoreBackup(backup, restored))).toMatchObject({
        code: "store_failed",
        message: expect.stringContaining(path),
      });
      expect(readdirSync(restored)).toEqual([]);
    }
    writeFileSync(join(backup, "manifest.json"), "{}");
    expect((await failureOf(() => restoreBackup(backup, restored))).code).toBe("unsupported");
    expect((await failureOf(() => kb.backup(backup))).code).toBe("unsupported");
  });
});

describe("the keys of a backup", () => {
  const EMBEDDING = { provider: "KEYED", endpoint: "http://127.0.0.1:9/", apiKey: "sk-0123456789abcdef-wxyz" };
  const LOCAL = { network: { allowPrivateHosts: ["127.0.0.1"] }, calls: { attempts: 1 } };
  const withKey = async () => {
    const made = await makeKnowledgeBase(LOCAL);
    await made.kb.namespaces.create({ name: "Keyed", slug: "keyed", embeddingConfig: EMBEDDING });
    return made;
  };
  const warningsOf = async (kb: KnowledgeBase) => {
    const warnings: string[] = [];
    kb.on("warning", ({ message }) => warnings.push(message));
    await kb.start();
    return warnings;
  };

  it("are not in it, unless asked for", async () => {
    const { kb, directory, backup, restored } = await withKey();
    const secret = readFileSync(join(directory, "secret.key"), "utf8");
    const without = await kb.backup(backup);
    expect([without.hasSecretKey, without.keyIds.length, existsSync(join(backup, "secret.key"))]).toEqual([
      false,
      1,
      false,
    ]);
    const withIt = await kb.backup(backup, { includeSecretKey: true });
    expect([withIt.hasSecretKey, readFileSync(join(backup, "secret.key"), "utf8")]).toEqual([true, secret]);
    expect(statSync(join(backup, "secret.key")).mode & 0o777).toBe(0o600);
    await restoreBackup(backup, restored);
    expect(await warningsOf(open(restored))).toEqual([]);
    expect((await kb.backup(backup)).hasSecretKey).toBe(false);
    expect(existsSync(join(backup, "secret.key"))).toBe(false);
  });

  it("are not in it if secret.key lacks the master key after a rotation, and the error names that", async () => {
    const { kb, directory, backup } = await withKey();
    await kb.backup(backup, { includeSecretKey: true });
    await kb.close();
    const rotated = open(directory, { ...LOCAL, masterKey: randomBytes(32) });
    const { keyId } = await rotated.rotateKeys();
    expect(await failureOf(() => rotated.backup(backup, { includeSecretKey: true }))).toMatchObject({
      code: "not_found",
      message: expect.stringContaining(keyId),
    });
    expect((await rotated.backup(backup)).keyIds).toEqual([keyId]);
    rmSync(join(directory, "secret.key"));
    expect((await failureOf(() => rotated.backup(backup, { includeSecretKey: true }))).code).toBe("not_found");
  });

  it("have to be given again without the master key, and a warning names them", async () => {
    const { kb, backup, restored } = await withKey();
    await kb.backup(backup);
    await restoreBackup(backup, restored);
    const copy = open(restored, { ...LOCAL, masterKey: randomBytes(32) });
    const [warning] = await warningsOf(copy);
    expect(warning).toContain("embeddingConfig.apiKey of keyed");
    expect((await copy.search("handbook", "lamp")).length).toBeGreaterThan(0);
    expect((await failureOf(() => copy.search("keyed", "lamp"))).code).toBe("not_ready");
    const changed = await copy.namespaces.setSecrets("keyed", { embeddingConfig: { apiKey: "sk-another-0123-9876" } });
    expect(changed.embeddingConfig).toEqual({ ...EMBEDDING, apiKey: "••••9876" });
    // The key can be decrypted again; there is no such service.
    expect((await failureOf(() => copy.search("keyed", "lamp"))).code).toBe("provider_failed");
    expect(
      (await failureOf(() => copy.namespaces.setSecrets("keyed", { embeddingConfig: { endpoint: "x" } }))).issues,
    ).toEqual([{ field: "embeddingConfig.endpoint", message: "is not a secret of the stored configuration" }]);
    await copy.close();
    expect(await warningsOf(open(restored, { masterKey: randomBytes(32) }))).toHaveLength(1);
  });
});
