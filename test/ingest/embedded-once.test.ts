import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBaseError } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { queryDatabase } from "../support/database.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { leapingClock } from "../support/leaping-clock.js";
import { listener } from "../support/listener.js";
import { optionsOf } from "../support/postgres-directories.js";
import { providerOf } from "../support/providers.js";
import { rowsOf } from "../support/rows-of.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const TEXTS = 500;
const BATCH = 50;

// Ingests what the address serves, or goes on with it, and dies as its embedder is asked for the time that `killAt` says. The embedder
// notes how many texts it was asked for.
const CHILD = `
  const { KnowledgeBase } = await import(dist + "index.js");
  const { fakeEmbedder } = await import(dist + "testing/index.js");
  const { z } = await import("zod");
  const { appendFileSync } = await import("node:fs");
  const [options, fileUrl, log, step, killAt] = argv;
  const fake = fakeEmbedder({ provider: "COUNTED", maxBatchSize: ${BATCH} });
  let calls = 0;
  const embedder = {
    ...fake,
    async embed(texts, options) {
      if (options.purpose === "document") {
        appendFileSync(log, texts.length + "\\n");
        calls++;
        if (calls === Number(killAt)) process.kill(process.pid, "SIGKILL");
      }
      return fake.embed(texts, options);
    },
  };
  const provider = { provider: "COUNTED", config: z.any(), create: async () => embedder };
  const kb = new KnowledgeBase({
    ...JSON.parse(options),
    embedders: [provider],
    defaultEmbedding: { provider: "COUNTED" },
    network: { allowPrivateHosts: ["127.0.0.1"] },
  });
  if (step === "first") {
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    await kb.ingest("notes", { type: "FILE", fileUrl }, { delimiter: "|", chunkSize: 32 });
  } else if (step === "again") {
    const { items: [job] } = await kb.ingestJobs.list("notes");
    await kb.ingestJobs.reingest("notes", job.id);
  }
  await kb.drain();
  const { items: [job] } = await kb.ingestJobs.list("notes");
  console.log(JSON.stringify(job));
  await kb.close();
`;

/** A directory, an address whose lines change, and processes that ingest them. */
async function lines() {
  const served = { version: 1 };
  const { port } = await listener((_, response) => {
    const line = (_: unknown, index: number) => `version ${served.version} line ${index}`;
    response.setHeader("content-type", "text/plain").end(Array.from({ length: TEXTS }, line).join("|"));
  });
  const directory = temporaryDirectory();
  const log = join(directory, "embedded.txt");
  return {
    served,
    directory,
    embedded: () => sum(readFileSync(log, "utf8").trim().split("\n").map(Number)),
    run: async (step: "first" | "again" | "go on", killAt = 0) =>
      runScript(CHILD, [await optionsOf(directory), `http://127.0.0.1:${port}/lines.txt`, log, step, String(killAt)]),
  };
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const completed = { status: "COMPLETED", counts: { chunks: TEXTS } };

describe("a document whose process is killed", () => {
  it("embeds no text again, except for those of the call in flight", async () => {
    const { served, directory, embedded, run } = await lines();
    expect((await run("first", 4)).signal).toBe("SIGKILL");
    expect(JSON.parse((await run("go on")).stdout)).toMatchObject(completed);
    expect(embedded()).toBe(TEXTS + BATCH);

    served.version = 2;
    const before = embedded();
    expect((await run("again", 9)).signal).toBe("SIGKILL");
    expect((await run("go on", 1)).signal).toBe("SIGKILL");
    expect(JSON.parse((await run("go on")).stdout)).toMatchObject(completed);
    expect(embedded() - before).toBe(TEXTS + 2 * BATCH);
    // What was abandoned or replaced is gone, its vectors with it.
    expect(rowsOf(directory)).toMatchObject({ chunks: TEXTS, vectors: TEXTS, embedding_cache: TEXTS });
  });

  it("leaves nothing of the killed run if the source is unchanged again", async () => {
    const { served, directory, embedded, run } = await lines();
    expect(JSON.parse((await run("first")).stdout)).toMatchObject(completed);
    served.version = 2;
    expect((await run("again", 4)).signal).toBe("SIGKILL");
    expect((await run("go on", 4)).signal).toBe("SIGKILL");
    served.version = 1;
    const before = embedded();
    expect(JSON.parse((await run("go on")).stdout)).toMatchObject(completed);
    expect(embedded()).toBe(before);
    expect(rowsOf(directory)).toMatchObject({ chunks: TEXTS, vectors: TEXTS, embedding_cache: TEXTS });
  });
});

it("a failed call does not repeat other calls of its document", async () => {
  const fake = fakeEmbedder({ provider: "BUSY", maxBatchSize: 1 });
  const asked: string[] = [];
  const embedder: Embedder = {
    ...fake,
    hosted: { endpoint: "https://vendor.test", concurrency: 3 },
    async embed(texts, options) {
      const [text] = texts as [string];
      asked.push(text);
      // The first call fails when the two beside it have been answered.
      if (text === "line 0" && asked.filter((other) => other === text).length === 1) {
        await new Promise((resolve) => setImmediate(resolve));
        throw new KnowledgeBaseError("provider_failed", "Busy.", { retryable: true });
      }
      return fake.embed(texts, options);
    },
  };
  const embedders = [providerOf(embedder)];
  const kb = openKnowledgeBase({ worker: false, clock: leapingClock(), embedders, calls: { attempts: 1 } });
  onTestFinished(() => kb.close());
  const notes = await newNamespace(kb, { embeddingConfig: { provider: "BUSY" } });
  const text = Array.from({ length: 6 }, (_, index) => `line ${index}`).join("|");
  const run = await notes.ingest({ type: "TEXT", text }, { delimiter: "|", chunkSize: 32 });
  await kb.drain();
  expect(await run.done()).toMatchObject({ status: "COMPLETED", counts: { chunks: 6 } });
  expect(asked.filter((line) => line.startsWith("line")).toSorted()).toEqual(
    ["line 0", ...Array.from({ length: 6 }, (_, index) => `line ${index}`)].toSorted(),
  );
});

it("a document that fails again and again keeps the chunks of one abandoned run besides those of the next", async () => {
  const directory = temporaryDirectory();
  const generations = () => {
    const sql = "SELECT count(DISTINCT generation) AS count FROM chunks";
    return queryDatabase<{ count: number }>(directory, sql)[0]!.count;
  };
  const fake = fakeEmbedder({ provider: "BUSY", maxBatchSize: 1 });
  const asked: string[] = [];
  const embedder: Embedder = {
    ...fake,
    hosted: { endpoint: "https://vendor.test", concurrency: 1 },
    async embed(texts, options) {
      const [text] = texts as [string];
      if (options.purpose === "document") asked.push(text);
      const tries = asked.filter((other) => other === "line 2").length;
      if (text !== "line 2" || tries > 3) return fake.embed(texts, options);
      // Of runs before the last one nothing is left, though the document is still being ingested.
      if (tries === 3) await vi.waitUntil(() => generations() <= 2, { timeout: 20_000 });
      throw new KnowledgeBaseError("provider_failed", "Busy.", { retryable: true, retryAfterMs: 1 });
    },
  };
  const embedders = [providerOf(embedder)];
  const kb = openKnowledgeBase({ directory, worker: false, clock: leapingClock(), embedders, calls: { attempts: 1 } });
  onTestFinished(() => kb.close());
  const notes = await newNamespace(kb, { embeddingConfig: { provider: "BUSY" } });
  const run = await notes.ingest({ type: "TEXT", text: "line 0|line 1|line 2" }, { delimiter: "|", chunkSize: 32 });
  await kb.drain();
  await run.done({ throwOnFailure: true });
  expect(rowsOf(directory)).toMatchObject({ chunks: 3, embedding_cache: 3 });
  expect(asked).toEqual(["line 0", "line 1", ...Array.from({ length: 4 }, () => "line 2")]);
});
