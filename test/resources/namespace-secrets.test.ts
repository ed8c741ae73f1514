import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KnowledgeBase, KnowledgeBaseOptions } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf, LEXICAL, openKnowledgeBase } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";
import { onlySqlite } from "../support/only-sqlite.js";
import { keyedEmbedder, keyedStore } from "../support/secret-provider.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const KEY = "sk-0123456789abcdef-wxyz";
const [A, B] = [randomBytes(32).toString("hex"), randomBytes(32).toString("base64")];

const OWN_KEY = "the directory has a key of its own, secret.key";

interface Setting {
  readonly directory: string;
  open(options?: KnowledgeBaseOptions): KnowledgeBase;
  /** Headers of the calls that the service has got. */
  readonly keys: readonly (string | undefined)[];
  readonly config: { readonly provider: string; readonly endpoint: string; readonly apiKey: string };
}

async function setting(): Promise<Setting> {
  const keys: (string | undefined)[] = [];
  const { port } = await listener((request, out) => {
    keys.push(request.headers.authorization);
    out.end("{}");
  });
  const directory = temporaryDirectory();
  return {
    directory,
    keys,
    config: { provider: "KEYED", endpoint: `http://127.0.0.1:${port}/`, apiKey: KEY },
    open(options = {}) {
      const kb = openKnowledgeBase({
        directory,
        embedders: [keyedEmbedder],
        vectorStores: [keyedStore],
        network: { allowPrivateHosts: ["127.0.0.1"] },
        ...options,
      });
      onTestFinished(() => kb.close());
      return kb;
    },
  };
}

it("keeps the keys of both models while one is changed for the other, and replaces that in use", async () => {
  const { open, config, keys, directory } = await setting();
  const kb = open({ defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Changed", slug: "changed" });
  const changed = kb.namespace("changed");
  await changed.ingest({ type: "TEXT", text: "A lamp burns." }).done();
  expect(await changed.reembedding.start({ embeddingConfig: config })).toMatchObject({
    embeddingConfig: { apiKey: "••••wxyz" },
  });
  await changed.reembedding.wait();
  await changed.reembedding.cutOver();
  await changed.search("a lamp", { mode: "semantic" });
  expect(keys.at(-1)).toBe(`Bearer ${KEY}`);
  expect(await kb.namespaces.setSecrets("changed", { embeddingConfig: { apiKey: "another-key-abcd" } })).toMatchObject({
    embeddingConfig: { apiKey: "••••abcd" },
  });
  await changed.search("a lamp", { mode: "semantic" });
  expect(keys.at(-1)).toBe("Bearer another-key-abcd");
  await changed.reembedding.rollback();
  await kb.namespaces.setSecrets("changed", { reembedding: { embeddingConfig: { apiKey: "other-model-key-efgh" } } });
  expect(await changed.reembedding.get()).toMatchObject({ embeddingConfig: { apiKey: "••••efgh" } });
  await changed.reembedding.search("a lamp", { mode: "semantic" });
  expect(keys.at(-1)).toBe("Bearer other-model-key-efgh");
  expect(
    (
      await failureOf(() =>
        kb.namespaces.setSecrets("changed", { reembedding: { embeddingConfig: { endpoint: "x" } } }),
      )
    ).issues,
  ).toEqual([
    { field: "reembedding.embeddingConfig.endpoint", message: "is not a secret of the stored configuration" },
  ]);
  await changed.reembedding.discard();
  expect(await changed.reembedding.wait()).toBeNull();
  expect(queryDatabase(directory, "SELECT count(*) AS secrets FROM sealed_values")).toEqual([{ secrets: 0 }]);
});

it("keeps the keys of both vector stores, and gives the one in use to a new set in the same store", async () => {
  const { open, config, keys, directory } = await setting();
  const kb = open({ defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Moved", slug: "moved" });
  const moved = kb.namespace("moved");
  await moved.ingest({ type: "TEXT", text: "A lamp burns." }).done();
  const vectorStoreConfig = { ...config, provider: "KEYED_STORE" };
  expect(await moved.reembedding.start({ vectorStoreConfig }, { cutOver: "automatic" })).toMatchObject({
    vectorStoreConfig: { provider: "KEYED_STORE", apiKey: "••••wxyz" },
  });
  await moved.reembedding.wait();
  expect(await kb.namespaces.get("moved")).toMatchObject({ vectorStoreConfig: { apiKey: "••••wxyz" } });
  await kb.namespaces.ensure({ name: "Moved", slug: "moved", vectorStoreConfig });
  await moved.reembedding.discard();
  await moved.reembedding.wait();

  await moved.reembedding.start({ embeddingConfig: { provider: "MANAGED_STATIC" } });
  expect(await moved.reembedding.wait()).toMatchObject({ state: "ready", vectorStoreConfig: { apiKey: "••••wxyz" } });
  expect((await moved.reembedding.search("a lamp", { mode: "semantic" })).length).toBe(1);
  expect(new Set(keys)).toEqual(new Set([`Bearer ${KEY}`]));
  const other = { vectorStoreConfig: { apiKey: "other-store-key-efgh" } };
  await kb.namespaces.setSecrets("moved", { reembedding: other });
  expect(await moved.reembedding.get()).toMatchObject({ vectorStoreConfig: { apiKey: "••••efgh" } });
  await moved.reembedding.search("a lamp", { mode: "semantic" });
  expect(keys.at(-1)).toBe("Bearer other-store-key-efgh");
  await moved.search("a lamp", { mode: "semantic" });
  expect(keys.at(-1)).toBe(`Bearer ${KEY}`);
  const fields = () => queryDatabase(directory, "SELECT field FROM sealed_values ORDER BY field");
  expect(fields()).toEqual([{ field: "vectorStoreConfig.1.apiKey" }, { field: "vectorStoreConfig.2.apiKey" }]);
  await moved.reembedding.discard();
  await moved.reembedding.wait();
  expect(fields()).toEqual([{ field: "vectorStoreConfig.1.apiKey" }]);
});

it("stores a provider's key sealed, shows its last four, and calls with the key itself, now and after a restart", async () => {
  const { open, config, keys, directory } = await setting();
  const kb = open();
  const vectorStoreConfig = { ...config, provider: "KEYED_STORE", apiKey: "another-key-abcd" };
  const input = { name: "Keyed", slug: "keyed", embeddingConfig: config, vectorStoreConfig };
  const shown = {
    embeddingConfig: { ...config, apiKey: "••••wxyz" },
    vectorStoreConfig: { ...vectorStoreConfig, apiKey: "••••abcd" },
  };
  expect(await kb.namespaces.create(input)).toMatchObject(shown);
  expect(await kb.namespaces.get("keyed")).toMatchObject(shown);
  expect((await kb.namespaces.list()).items).toMatchObject([shown]);
  expect(await kb.namespaces.update("keyed", { name: "Other" })).toMatchObject(shown);
  const run = await kb.ingest("keyed", { type: "TEXT", text: "A lamp burns." });
  expect((await run.done()).status).toBe("COMPLETED");
  await kb.close();

  const again = open();
  await again.search("keyed", "a lamp", { mode: "semantic" });
  expect(new Set(keys)).toEqual(new Set([`Bearer ${KEY}`, "Bearer another-key-abcd"]));
  expect(await again.namespaces.delete("keyed")).toMatchObject(shown);
  await again.drain();
  await again.close();
  expect(sealedIn(directory)).toEqual([]);
});

it("takes snake case, shows nothing of a short key, and refuses what it shows itself", async () => {
  const { open, config } = await setting();
  const kb = open();
  const { apiKey: _, ...rest } = config;
  const created = await kb.namespaces.create({
    ...{ name: "Short", slug: "short", embeddingConfig: { ...rest, api_key: "12345678" } },
  });
  expect(created.embeddingConfig).toEqual({ ...rest, apiKey: "••••" });
  const copy = { name: "Copy", slug: "copy", embeddingConfig: created.embeddingConfig };
  const error = await failureOf(() => kb.namespaces.create(copy));
  expect([error.code, error.issues[0]?.field]).toEqual(["invalid_input", "embeddingConfig.apiKey"]);
});

it("doesn't repeat a secret that breaks a rule, whatever its name", async () => {
  const { open, config } = await setting();
  const phrase = { ...keyedEmbedder, provider: "PHRASE", secrets: ["phrase"] };
  const schema = z.strictObject({ provider: z.literal("PHRASE"), phrase: z.string().max(9) });
  const kb = open({ embedders: [{ ...phrase, config: schema as never }] });
  const embeddingConfig = { provider: "PHRASE", phrase: "canary-in-a-phrase" };
  const long = await failureOf(() => kb.namespaces.create({ name: "Bad", slug: "bad", embeddingConfig }));
  expect([long.issues[0]?.field, long.message]).toEqual(["embeddingConfig.phrase", expect.stringContaining("••••")]);
  expect(`${long.stack}${JSON.stringify(long)}`).not.toContain("canary");
  const apiKey = "canary".repeat(20);
  const bad = { name: "Bad", slug: "bad", embeddingConfig: { ...config, apiKey } };
  const error = await failureOf(() => open().namespaces.create(bad));
  expect(error.issues[0]?.field).toBe("embeddingConfig.apiKey");
  expect(`${error.stack}${JSON.stringify(error)}`).not.toContain("canary");
});

onlySqlite(OWN_KEY)(
  "opens without the key: says so at once, serves what needs none, and goes on once the key is back",
  async () => {
    const { open, config, directory } = await setting();
    const first = open();
    await first.namespaces.create({ name: "Keyed", slug: "keyed", embeddingConfig: config });
    await first.namespaces.create({ name: "Plain", slug: "plain", embeddingConfig: LEXICAL });
    for (const slug of ["keyed", "plain"]) {
      await (await first.ingest(slug, { type: "TEXT", text: "A lamp burns." })).done();
    }
    await first.close();

    const warnings: string[] = [];
    const path = join(directory, "secret.key");
    const key = await readFile(path);
    await rm(path);
    const without = open();
    without.on("warning", ({ message }) => warnings.push(message));
    expect(await without.namespaces.get("keyed")).toMatchObject({ embeddingConfig: { apiKey: "••••wxyz" } });
    expect(warnings).toEqual([expect.stringContaining("masterKey")]);
    expect(await without.search("keyed", "lamp", { mode: "keyword" })).toHaveLength(1);
    expect(await without.search("plain", "lamp")).toHaveLength(1);
    expect((await without.documents.list("keyed")).items).toHaveLength(1);
    const error = await failureOf(() => without.search("keyed", "lamp", { mode: "semantic" }));
    expect([error.code, error.retryable]).toEqual(["not_ready", true]);
    for (const word of ["embeddingConfig.apiKey", "masterKey", "secret.key"]) expect(error.message).toContain(word);
    await without.close();

    await writeFile(path, key);
    expect(await open().search("keyed", "lamp", { mode: "semantic" })).toHaveLength(1);
  },
);

onlySqlite(OWN_KEY)(
  "moves to another master key: both are listed, everything is sealed anew, the old one is left out",
  async () => {
    const { open, config, directory, keys } = await setting();
    const old = open();
    await old.namespaces.create({ name: "Keyed", slug: "keyed", embeddingConfig: config });
    await old.namespaces.create({ name: "Idle", slug: "idle", embeddingConfig: LEXICAL });
    const crawl = { type: "CRAWL", url: "https://me:hush@10.0.0.1/", headers: { "x-token": "hush" } } as const;
    const { id } = await old.ingest("idle", crawl);
    const { url } = await old.uploads.create("idle", { fileName: "a.txt", contentType: "text/plain", fileSize: 1 });
    await old.close();
    expect(
      sealedIn(directory)
        .map(({ field }) => field)
        .toSorted(),
    ).toEqual(["embeddingConfig.apiKey", "headers.x-token", "url"]);

    const both = open({ masterKey: [A, B] });
    const { keyId, ...counts } = await both.rotateKeys();
    expect(counts).toEqual({ resealed: 3, remaining: 0 });
    expect(new Set(sealedIn(directory).map(({ key_id }) => key_id))).toEqual(new Set([keyId]));
    expect(await both.rotateKeys()).toEqual({ keyId, resealed: 0, remaining: 0 });
    await receive(both, url);
    await both.close();

    await rm(join(directory, "secret.key"));
    const moved = open({ masterKey: A });
    await moved.search("keyed", "lamp", { mode: "semantic" });
    expect(keys.at(-1)).toBe(`Bearer ${KEY}`);
    expect((await moved.ingestJobs.get("idle", id)).payload).toMatchObject({ headers: { "x-token": "••••" } });
    expect((await failureOf(() => receive(moved, url))).code).toBe("forbidden");
    expect(JSON.stringify(sealedIn(directory))).not.toMatch(/hush|0123456789/);
  },
);

it("loses nothing where a rotation is ended in the middle, or made by two at once", async () => {
  const { open, config, directory, keys } = await setting();
  const first = open({ masterKey: A });
  const many = 250;
  for (let index = 0; index < many; index++) {
    const embeddingConfig = { ...config, apiKey: `key-number-${index}` };
    await first.namespaces.create({ name: "N", slug: `n-${index}`, embeddingConfig });
  }
  await first.close();

  const stopping = new AbortController();
  const [one, other] = [open({ masterKey: [B, A] }), open({ masterKey: [B, A] })];
  await Promise.all([one.start(), other.start()]);
  const ended = one.rotateKeys({ signal: stopping.signal });
  stopping.abort();
  await expect(ended).rejects.toThrow();
  const done = await Promise.all([one.rotateKeys(), other.rotateKeys()]);
  expect(done.map(({ remaining }) => remaining)).toEqual([0, 0]);
  expect(done[0].resealed + done[1].resealed).toBe(many);
  await Promise.all([one.close(), other.close()]);

  const after = open({ masterKey: B });
  for (const index of [0, 99, 100, 249]) {
    await after.search(`n-${index}`, "lamp", { mode: "semantic" });
    expect(keys.at(-1)).toBe(`Bearer key-number-${index}`);
  }
  await after.close();

  // Keys that were not given are left as they are, and counted.
  const lost = open({ masterKey: A });
  expect(await lost.rotateKeys()).toMatchObject({ resealed: 0, remaining: many });
  await lost.close();
  expect(sealedIn(directory)).toHaveLength(many);
});

it("opens no key that was moved to another namespace in the database", async () => {
  const { open, config, directory } = await setting();
  const kb = open();
  const mine = await kb.namespaces.create({ name: "A", slug: "aa", embeddingConfig: config });
  const own = { ...config, apiKey: "sk-of-the-other-one" };
  const other = await kb.namespaces.create({ name: "B", slug: "bb", embeddingConfig: own });
  await kb.close();
  const take = "UPDATE sealed_values SET sealed = (SELECT sealed FROM sealed_values WHERE owner = ?) WHERE owner = ?";
  writeDatabase(directory, [{ sql: take, parameters: [other.id, mine.id] }]);
  const error = await failureOf(() => open().search("aa", "lamp", { mode: "semantic" }));
  expect([error.code, error.message]).toEqual(["internal", expect.stringContaining("moved from another record")]);
});

it("forgets a job's secrets with the job", async () => {
  const { open, directory } = await setting();
  await writeFile(join(directory, "secret.key"), A);
  const kb = open();
  await kb.namespaces.create({ name: "A", slug: "aa", embeddingConfig: LEXICAL });
  const items = ["https://me:hush@10.0.0.1/a.txt", "https://10.0.0.1/b.txt"].map((fileUrl) => {
    return { type: "FILE" as const, fileUrl };
  });
  const run = await kb.ingest("aa", { type: "BATCH", items });
  const { payload } = await run.done();
  expect(payload).toMatchObject({ items: [{ fileUrl: "https://••••:••••@10.0.0.1/a.txt" }, items[1]] });
  expect(sealedIn(directory)).toMatchObject([{ owner: run.id, field: "items[0].fileUrl" }]);
  await kb.ingestJobs.delete("aa", run.id);
  await kb.drain();
  expect(sealedIn(directory)).toEqual([]);
});

interface SealedRow {
  readonly owner: string;
  readonly field: string;
  readonly key_id: string;
}

function sealedIn(directory: string): readonly SealedRow[] {
  return queryDatabase(directory, "SELECT * FROM sealed_values");
}

/** Sends one byte to an upload URL, as whoever serves it does. */
async function receive(kb: KnowledgeBase, url: string): Promise<void> {
  const { pathname, searchParams } = new URL(url, "https://kb.example");
  const upload = { key: pathname.slice("/v1/blobs/".length), signature: searchParams.get("signature")! };
  await kb.receiveUpload({ ...upload, expires: Number(searchParams.get("expires")) }, Buffer.from("x"));
}
