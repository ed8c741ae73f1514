import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";

const BYTES = 200 * 1024 * 1024;
const PART = 64 * 1024;
const MEGABYTE = 1024 * 1024;

/** Uploads and downloads 200 MB by signed URLs, and measures the memory of the serving process. */
export async function benchUpload(log: (line: string) => void) {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-bench-"));
  const kb = new KnowledgeBase({ directory });
  await kb.namespaces.create({ name: "Bench", slug: "bench", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const { key: apiKey } = await kb.apiKeys.create({ name: "bench", scope: "write" });
  const server = fork(new URL("./upload-server.ts", import.meta.url), [directory], { execArgv: ["--import", "tsx"] });
  try {
    const [{ url }] = await once(server, "message");
    const post = async (path: string, body: object): Promise<{ url: string; key: string }> => {
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      const { data } = (await response.json()) as { data: { url: string; key: string } };
      return data;
    };
    const file = { fileName: "large.pdf", contentType: "application/pdf", fileSize: BYTES };
    const upload = await post("/v1/namespace/bench/uploads", file);
    const before = await peakOf(server);
    const sent = await timed(() => send(upload.url));
    const whileSent = await peakOf(server);
    log(`sent in ${sent.seconds.toFixed(1)} s`);

    // The content is invalid, so its ingest fails at once, but the file can be downloaded.
    await (await kb.ingest("bench", { type: "MANAGED_FILE", key: upload.key })).done();
    const { items } = await kb.documents.list("bench");
    const { url: address } = await post(`/v1/namespace/bench/documents/${items[0]!.id}/file-download-url`, {});
    await peakOf(server);
    const fetched = await timed(() => receive(address));
    const whileFetched = await peakOf(server);
    log(`fetched in ${fetched.seconds.toFixed(1)} s`);
    if (fetched.result !== sent.result) throw new Error("The downloaded file differs from the uploaded one.");
    return {
      megabytes: BYTES / MEGABYTE,
      upload: { seconds: sent.seconds, extraMb: (whileSent - before) / MEGABYTE },
      download: { seconds: fetched.seconds, extraMb: (whileFetched - before) / MEGABYTE },
    };
  } finally {
    if (server.connected) server.disconnect();
    await kb.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Sends the file and returns its SHA-256. */
async function send(url: string): Promise<string> {
  const hash = createHash("sha256");
  let remaining = BYTES;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (remaining === 0) return controller.close();
      const part = new Uint8Array(PART).fill(remaining % 251);
      part.fill(0, 0, 1024);
      remaining -= PART;
      hash.update(part);
      controller.enqueue(part);
    },
  });
  const headers = { "content-type": "application/pdf" };
  const response = await fetch(url, { method: "PUT", headers, body, duplex: "half" } as RequestInit);
  if (response.status !== 200) throw new Error(`The server answered ${response.status}: ${await response.text()}`);
  return hash.digest("hex");
}

async function receive(url: string): Promise<string> {
  const hash = createHash("sha256");
  const response = await fetch(url);
  for await (const part of response.body!) hash.update(part);
  return hash.digest("hex");
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ seconds: number; result: Result }> {
  const started = performance.now();
  const result = await work();
  return { seconds: (performance.now() - started) / 1000, result };
}

async function peakOf(server: ChildProcess): Promise<number> {
  server.send({});
  const [{ peak }] = await once(server, "message");
  return peak;
}
