import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";
import { remoteEmbedder } from "./remote-embedder.js";
import { makeTexts } from "./texts.js";
import { withTestDatabase } from "./with-test-database.js";

const JOBS = 16;
const DOCUMENTS = 100;
const CHARACTERS = 300;
const WORKERS = [1, 4];
const WORKER = fileURLToPath(new URL("worker-process.ts", import.meta.url));

/**
 * Measures the ingest of jobs by one worker and by four, with the database's server on the same machine and, for each
 * worker, a model as on a machine of its own: what is left to wait for is the model, not the processor.
 */
export async function benchWorkers(log: (line: string) => void) {
  return withTestDatabase(async ({ url }) => {
    await using kb = new KnowledgeBase({
      ...{ database: url, masterKey: "11".repeat(32), sharedDirectory: true, worker: false },
      embedders: [remoteEmbedder()],
    });
    await kb.namespaces.create({ name: "Bench", slug: "bench", embeddingConfig: { provider: "REMOTE" } });
    const rates: number[] = [];
    for (const [round, workers] of WORKERS.entries()) {
      const processes = await Promise.all(Array.from({ length: workers }, () => startWorker(url)));
      // Starts threads and connections, and compiles what is measured.
      await ingest(kb, -1 - round);
      rates.push(await ingest(kb, round));
      log(`${workers} workers: ${rates.at(-1)!.toFixed(0)} documents/s`);
      await Promise.all(processes.map(stopWorker));
    }
    return { workers: WORKERS, documentsPerSecond: rates, ratio: rates.at(-1)! / rates[0]! };
  });
}

async function startWorker(url: string): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [...process.execArgv, WORKER, url], { stdio: ["pipe", "pipe", "inherit"] });
  await once(worker.stdout!, "data");
  return worker;
}

async function stopWorker(worker: ChildProcess): Promise<void> {
  worker.stdin!.end();
  if (worker.exitCode === null) await once(worker, "exit");
}

/** Returns the documents per second of all jobs. */
async function ingest(kb: KnowledgeBase, seed: number): Promise<number> {
  const started = performance.now();
  const runs = await Promise.all(
    Array.from({ length: JOBS }, (_, job) => {
      const items = makeTexts(DOCUMENTS, CHARACTERS, 1000 * (seed + 10) + job).map((text) => {
        return { type: "TEXT" as const, text };
      });
      return kb.ingest("bench", { type: "BATCH", items });
    }),
  );
  for (const run of runs) {
    const { status, error } = await run.done();
    if (status !== "COMPLETED") throw new Error(`A job is ${status}: ${error}`);
  }
  return (JOBS * DOCUMENTS) / ((performance.now() - started) / 1000);
}
