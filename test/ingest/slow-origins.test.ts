import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { KnowledgeBaseOptions, NamespaceHandle } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { toIngestEngine } from "#dist/create-engine.js";
import { IngestWorker } from "#dist/ingest/worker.js";
import { queryDatabase } from "../support/database.js";
import { guarded } from "../support/guarded.js";
import { LEXICAL, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";
import { openEngine } from "../support/open-engine.js";
import { optionsOf } from "../support/postgres-directories.js";
import { providerOf } from "../support/providers.js";
import { runScript } from "../support/run-script.js";
import { slowOrigin } from "../support/slow-origin.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** A knowledge base with a namespace of each organization; closed with its test. */
async function open(organizations: readonly string[], options: KnowledgeBaseOptions = {}) {
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({ directory, network: { allowPrivateHosts: ["127.0.0.1"] }, ...options });
  onTestFinished(() => kb.close());
  const spaces: NamespaceHandle[] = [];
  for (const id of organizations) {
    await kb.organizations.create({ id, name: id });
    spaces.push(await newNamespace(kb.organization(id)));
  }
  return { kb, spaces, directory };
}

async function statusOf(space: NamespaceHandle, payload: Parameters<NamespaceHandle["ingest"]>[0]) {
  return (await (await space.ingest(payload)).done()).status;
}

const text = (said: string) => ({ type: "TEXT", text: said }) as const;

function downloadsIn(directory: string): string[] {
  const folder = join(directory, "downloads");
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
}

describe("files at origins that send a byte and no more", () => {
  it("delay neither their organization's texts nor another's, and complete once they arrive", async () => {
    const origins = await Promise.all(Array.from({ length: 8 }, () => slowOrigin()));
    const { spaces } = await open(["org_slow", "org_other"]);
    const [slow, other] = spaces as [NamespaceHandle, NamespaceHandle];
    const runs = await Promise.all(origins.map(({ url }) => slow.ingest({ type: "FILE", fileUrl: url })));
    await Promise.all(origins.map((origin) => origin.standing(1)));
    expect(await statusOf(other, text("Another's."))).toBe("COMPLETED");
    expect(await statusOf(slow, text("Its own."))).toBe("COMPLETED");
    for (const { id } of runs) expect((await slow.ingestJobs.get(id)).status).toBe("PROCESSING");
    for (const { items } of [await slow.documents.list({ ingestJobId: runs[0]!.id })]) {
      expect(items.map(({ status }) => status)).toEqual(["PRE_PROCESSING"]);
    }
    for (const origin of origins) origin.finish();
    for (const run of runs) expect((await run.done()).status).toBe("COMPLETED");
    expect(origins.map(({ asked }) => asked)).toEqual(Array(8).fill(1));
  });

  it("a hundred of one organization use eight requests to an origin at a time, and leave slots for others", async () => {
    const [slow, quick] = [await slowOrigin(), await slowOrigin()];
    quick.finish();
    const { spaces } = await open(["org_slow", "org_other"], { worker: { concurrency: 1 } });
    const [mine, other] = spaces as [NamespaceHandle, NamespaceHandle];
    for (let job = 0; job < 100; job++) await mine.ingest({ type: "FILE", fileUrl: slow.url });
    await slow.standing(8);
    expect(await statusOf(other, { type: "FILE", fileUrl: quick.url })).toBe("COMPLETED");
    expect(await statusOf(other, text("A text."))).toBe("COMPLETED");
    expect(slow.asked).toBe(8);
    slow.finish();
  });

  it("of a batch don't delay jobs of another organization", async () => {
    const origin = await slowOrigin();
    const { spaces } = await open(["org_slow", "org_other"], { worker: { concurrency: 1, documents: 4 } });
    const [slow, other] = spaces as [NamespaceHandle, NamespaceHandle];
    const files = Array.from({ length: 4 }, () => ({ type: "FILE" as const, fileUrl: origin.url }));
    const batch = await slow.ingest({ type: "BATCH", items: [text("First."), ...files, text("Last.")] });
    await origin.standing(4);
    expect(await statusOf(other, text("Another's."))).toBe("COMPLETED");
    origin.finish();
    expect((await batch.done()).counts.documents).toEqual({ total: 6, completed: 6, failed: 0 });
  });

  it("end immediately, with their connections, when their job is cancelled or deleted or the engine closes", async () => {
    const origin = await slowOrigin();
    const { kb, spaces, directory } = await open(["org_slow"]);
    const [slow] = spaces as [NamespaceHandle];
    const file = { type: "FILE", fileUrl: origin.url } as const;
    const [first, second, third] = [await slow.ingest(file), await slow.ingest(file), await slow.ingest(file)];
    await origin.standing(3);
    expect(downloadsIn(directory).length).toBeGreaterThan(0);
    await slow.ingestJobs.cancel(first.id);
    expect((await first.done()).status).toBe("CANCELLED");
    await origin.standing(2);
    await slow.ingestJobs.delete(second.id);
    await origin.standing(1);
    await kb.close();
    await origin.standing(0);
    expect(downloadsIn(directory)).toEqual([]);

    origin.finish();
    const again = openKnowledgeBase({ directory, network: { allowPrivateHosts: ["127.0.0.1"] } });
    onTestFinished(() => again.close());
    const organization = again.organization("org_slow");
    const [namespace] = (await organization.namespaces.list()).items;
    const run = await organization.namespace(namespace!.id).ingestJobs.watch(third.id);
    expect((await run.done()).status).toBe("COMPLETED");
  });

  it("leave no files on the disk after their process was killed", async () => {
    const origin = await slowOrigin("A lamp ".repeat(10_000));
    const directory = temporaryDirectory();
    const script = `
      const { readdirSync, statSync } = await import("node:fs");
      const { KnowledgeBase } = await import(dist + "index.js");
      const [given, url, host] = argv;
      const options = JSON.parse(given);
      const kb = new KnowledgeBase({ ...options, network: { allowPrivateHosts: [host] }, defaultEmbedding: ${JSON.stringify(LEXICAL)} });
      await kb.namespaces.create({ name: "Notes", slug: "notes" });
      await kb.namespace("notes").ingest({ type: "FILE", fileUrl: url });
      const folder = options.directory + "/downloads";
      setInterval(() => {
        try {
          const files = readdirSync(folder, { recursive: true }).map((name) => statSync(folder + "/" + name));
          if (files.some((file) => file.isFile() && file.size > 0)) process.kill(process.pid, "SIGKILL");
        } catch (error) {
          if (error.code !== "ENOENT") throw error;
        }
      }, 5);`;
    expect((await runScript(script, [await optionsOf(directory), origin.url, origin.host])).signal).toBe("SIGKILL");
    expect(downloadsIn(directory).length).toBeGreaterThan(0);
    origin.finish();
    const kb = openKnowledgeBase({ directory, network: { allowPrivateHosts: [origin.host] } });
    onTestFinished(() => kb.close());
    const [job] = (await kb.namespace("notes").ingestJobs.list()).items;
    expect((await (await kb.namespace("notes").ingestJobs.watch(job!.id)).done()).status).toBe("COMPLETED");
    await kb.close();
    expect(downloadsIn(directory)).toEqual([]);
  });
});

it("a crawl of a slow site delays no other job, nor does its pause", async () => {
  const site = await slowOrigin();
  const { kb, spaces } = await open(["org_slow", "org_other"], { worker: { concurrency: 1 } });
  const [slow, other] = spaces as [NamespaceHandle, NamespaceHandle];
  const crawl = await slow.ingest({ type: "CRAWL", url: site.url });
  await site.standing(1);
  for (const space of [other, slow, other]) expect(await statusOf(space, text("A text."))).toBe("COMPLETED");
  expect(site.asked).toBe(1);
  await slow.ingestJobs.cancel(crawl.id);
  expect((await crawl.done()).status).toBe("CANCELLED");
  await site.standing(0);
  await kb.drain();
});

it("a hosted embedder that does not respond delays only the jobs that need it", async () => {
  let called = () => {};
  const calls = new Promise<void>((resolve) => {
    called = resolve;
  });
  const embedder = {
    ...fakeEmbedder({ provider: "HANGING" }),
    cacheable: false,
    hosted: { endpoint: "https://vendor.test" },
    embed: (_: readonly string[], { signal, purpose }: { signal?: AbortSignal | undefined; purpose: string }) => {
      if (purpose === "query") return fakeEmbedder({ provider: "HANGING" }).embed(["x"], { purpose: "query" });
      called();
      return new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    },
  };
  const { kb, spaces } = await open(["org_other"], {
    embedders: [providerOf(embedder)],
    worker: { concurrency: 1 },
  });
  const hanging = await newNamespace(kb, { embeddingConfig: { provider: "HANGING" } });
  for (let job = 0; job < 3; job++) await hanging.ingest(text(`Hangs ${job}.`));
  await calls;
  expect(await statusOf(spaces[0]!, text("Another's."))).toBe("COMPLETED");
});

it("a file that exceeds the limit once decompressed fails without being buffered", async () => {
  const script = `
    const { createServer } = await import("node:http");
    const { createBrotliCompress, constants } = await import("node:zlib");
    const { KnowledgeBase } = await import(dist + "index.js");
    const zeros = Buffer.alloc(1024 * 1024);
    const compress = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const parts = [];
    compress.on("data", (part) => parts.push(part));
    for (let mb = 0; mb < 400; mb++) if (!compress.write(zeros)) await new Promise((go) => compress.once("drain", go));
    compress.end();
    await new Promise((go) => compress.once("end", go));
    const bomb = Buffer.concat(parts);
    const server = createServer(({ url }, out) => {
      if (url === "/small.txt") out.end("A lamp.");
      else out.writeHead(200, { "content-encoding": "br", "content-type": "text/plain" }).end(bomb);
    });
    await new Promise((go) => server.listen(0, "127.0.0.1", go));
    const base = "http://127.0.0.1:" + server.address().port;
    const kb = new KnowledgeBase({
      ...JSON.parse(argv[0]),
      network: { allowPrivateHosts: ["127.0.0.1"] },
      defaultEmbedding: ${JSON.stringify(LEXICAL)},
    });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    const ingest = async (path) => (await kb.namespace("notes").ingest({ type: "FILE", fileUrl: base + path })).done();
    await ingest("/small.txt");
    globalThis.gc();
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => { most = Math.max(most, process.memoryUsage().rss); }, 5);
    const { status, error } = await ingest("/bomb.txt");
    clearInterval(watch);
    console.log(JSON.stringify({ bombBytes: bomb.length, status, error, grownMb: Math.round((most - before) / 2 ** 20) }));
    await kb.close();
    server.close();
    server.closeAllConnections();`;
  const directory = temporaryDirectory();
  const { stdout, stderr } = await runScript(script, [await optionsOf(directory)], "export NODE_OPTIONS=--expose-gc");
  expect(stderr).toBe("");
  const { bombBytes, status, error, grownMb } = JSON.parse(stdout);
  expect(bombBytes).toBeLessThan(100_000);
  expect(status).toBe("FAILED");
  expect(error).toContain("is larger than 209715200 bytes");
  expect(grownMb).toBeLessThan(100);
  expect(downloadsIn(directory)).toEqual([]);
});

it("a name that resolves to private addresses fails at once, as a file and as a site", async () => {
  const opened = await openEngine();
  onTestFinished(() => opened.close());
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    return [{ address: "10.1.2.3", family: 4 }];
  };
  const worker = new IngestWorker(toIngestEngine({ ...opened.engine, fetch: guarded({ lookup }) }, opened.directory));
  onTestFinished(() => worker.stop());
  const own = opened.organization();
  const { id } = await own.namespaces.create({ name: "Notes", slug: "notes", embeddingConfig: LEXICAL });
  const file = await own.namespace(id).ingest({ type: "FILE", fileUrl: "http://file.example.com/a.txt" });
  const site = await own.namespace(id).ingest({ type: "CRAWL", url: "http://site.example.com/" });
  await worker.drain();
  for (const run of [file, site]) {
    const { status, error } = await run.done();
    expect([status, error]).toEqual(["FAILED", expect.stringContaining("is not a public host")]);
  }
  // Of the site its robots.txt and its start page.
  expect(asked.sort()).toEqual(["file.example.com", "site.example.com", "site.example.com"]);
});

it("files of an origin that never responds fail together, not one after the other", async () => {
  let asked = 0;
  const origin = await listener((_, out) => {
    asked++;
    out.destroy();
  });
  const { kb, spaces, directory } = await open(["org_one"]);
  const fileUrl = `http://127.0.0.1:${origin.port}/a.txt`;
  const items = Array.from({ length: 60 }, () => ({ type: "FILE" as const, fileUrl }));
  const { id } = await spaces[0]!.ingest({ type: "BATCH", items });
  const lastError = () => {
    const sql = "SELECT last_error AS error FROM tasks WHERE state = 'ready'";
    return queryDatabase<{ error: string }>(directory, sql)[0]?.error ?? "";
  };
  await expect.poll(lastError).toMatch(/failed to respond to \d+ requests in a row/);
  // Eight, and those that were under way beside the eighth.
  expect(asked).toBeGreaterThanOrEqual(8);
  expect(asked).toBeLessThan(16);
  await spaces[0]!.ingestJobs.cancel(id);
  await kb.drain();
});

it("a file whose server redirects to a private address fails at once", async () => {
  const inside = await listener();
  const origin = await listener((_, out) => out.writeHead(302, { location: `http://127.0.0.2:${inside.port}/` }).end());
  const { spaces } = await open(["org_one"]);
  const job = await (await spaces[0]!.ingest({ type: "FILE", fileUrl: `http://127.0.0.1:${origin.port}/x` })).done();
  expect(job.status).toBe("FAILED");
  expect(job.error).toContain("is not a public host");
  expect([origin.hits, inside.hits]).toEqual([1, 0]);
});
