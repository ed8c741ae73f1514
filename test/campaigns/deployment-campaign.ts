import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openTestDatabase, type TestDatabase } from "../support/postgres.js";
import { fakeS3, S3_BUCKET, S3_CREDENTIALS, S3_REGION } from "../support/vendors/s3.js";
import { createMachines, HOST, publish, type VirtualMachine } from "./virtual-machines.js";

const MAIN = resolve("dist/cli/main.js");
const WEB = ["lore-web-1", "lore-web-2"];
const WORKERS = ["lore-work-1", "lore-work-2", "lore-work-3"];
const PORT = 3000;
const DOCUMENTS = 400;
const MAX_TAKEOVER_MS = 60_000;
const MAX_CANCEL_MS = 2000;

export interface DeploymentOutcome {
  readonly faults: readonly string[];
  /** From the loss of a worker until another has claimed its job. */
  readonly takeoverMs: readonly number[];
  /** From the answer to a cancellation until the job, which another machine runs, has ended. */
  readonly cancelMs: readonly number[];
}

/**
 * Runs two web processes and three workers on machines of their own. In each round, one worker that runs a job is killed
 * and another is cut from the network, and a job is cancelled.
 */
export async function deploymentCampaign({ rounds }: { readonly rounds: number }): Promise<DeploymentOutcome | null> {
  const database = await openTestDatabase();
  if (!database) return null;
  const bucket = await fakeS3();
  const { machines, remove } = createMachines([...WEB, ...WORKERS]);
  const published = await Promise.all([publish(Number(new URL(database.url).port)), publish(portOf(bucket.endpoint))]);
  const deployment = new Deployment(machines, database, publishedEnvironment(database.url, published));
  try {
    await deployment.start();
    for (let round = 0; round < rounds; round++) await deployment.runRound();
    return deployment.outcome;
  } finally {
    await deployment.stop();
    for (const { close } of published) close();
    remove();
    await bucket.close();
    await database.drop();
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function publishedEnvironment(databaseUrl: string, [database, bucket]: readonly { port: number }[]) {
  const url = new URL(databaseUrl);
  url.host = `${HOST}:${database!.port}`;
  const endpoint = encodeURIComponent(`http://${HOST}:${bucket!.port}`);
  return {
    LOREBASE_DATABASE: url.href,
    LOREBASE_BLOBS: `s3://${S3_BUCKET}/?region=${S3_REGION}&endpoint=${endpoint}`,
    LOREBASE_MASTER_KEY: "66".repeat(32),
    AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };
}

class Deployment {
  readonly #machines: readonly VirtualMachine[];
  readonly #database: TestDatabase;
  readonly #env: Readonly<Record<string, string>>;
  readonly #processes = new Map<string, ReturnType<VirtualMachine["start"]>>();
  readonly outcome = { faults: [] as string[], takeoverMs: [] as number[], cancelMs: [] as number[] };
  /** A folder for the directories of the processes. */
  readonly #folder = mkdtempSync(join(tmpdir(), "lorebase-deployment-"));
  #key = "";
  #documents = 0;

  constructor(machines: readonly VirtualMachine[], database: TestDatabase, env: Readonly<Record<string, string>>) {
    this.#machines = machines;
    this.#database = database;
    this.#env = env;
  }

  async start(): Promise<void> {
    for (const name of WEB) {
      const welcome = await this.#startProcess(name, [
        "serve",
        "--no-worker",
        "--host",
        "0.0.0.0",
        "--port",
        `${PORT}`,
      ]);
      this.#key ||= (JSON.parse(welcome) as { apiKey: string }).apiKey;
    }
    for (const name of WORKERS) await this.#startProcess(name, ["work"]);
    const embeddingConfig = { provider: "MANAGED_LEXICAL" };
    await this.#call(0, "POST", "/v1/namespace", { name: "Notes", slug: "notes", embeddingConfig });
  }

  async stop(): Promise<void> {
    const running = [...this.#processes.values()].filter(
      ({ exitCode, signalCode }) => (exitCode ?? signalCode) === null,
    );
    const ended = running.map((child) => once(child, "close"));
    for (const child of running) child.kill("SIGKILL");
    await Promise.all(ended);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async runRound(): Promise<void> {
    await this.#cancelJob();
    await this.#loseWorker((name) => void this.#processes.get(name)!.kill("SIGKILL"));
    await this.#loseWorker((name) => this.#machineOf(name).setConnected(false));
  }

  /** Loses the worker that runs a job, and checks that the job ends complete; then gives the machine its worker again. */
  async #loseWorker(lose: (name: string) => void): Promise<void> {
    const jobId = await this.#createJob(0);
    const owner = await this.#ownerOf(jobId);
    const lostAt = performance.now();
    lose(owner.name);
    while ((await this.#ownerOf(jobId)).id === owner.id) await sleep(50);
    const takeoverMs = Math.round(performance.now() - lostAt);
    this.outcome.takeoverMs.push(takeoverMs);
    if (takeoverMs > MAX_TAKEOVER_MS) this.outcome.faults.push(`${jobId} was taken up after ${takeoverMs} ms`);
    const counts = await this.#waitForEnd(jobId, 1);
    await this.#bringBack(owner);
    if (counts.completed !== DOCUMENTS) this.outcome.faults.push(`${jobId}: ${JSON.stringify(counts)}`);
    this.#documents += DOCUMENTS;
    await this.#checkContent();
  }

  /** Connects a worker that was cut off, and waits until it has tried to go on. Then starts a new one. */
  async #bringBack(owner: { readonly id: string; readonly name: string }): Promise<void> {
    const worker = this.#processes.get(owner.name)!;
    if (worker.signalCode === null) {
      const [before] = await this.#heartbeatOf(owner.id);
      this.#machineOf(owner.name).setConnected(true);
      while ((await this.#heartbeatOf(owner.id))[0]!.at <= before!.at) await sleep(100);
      const ended = once(worker, "close");
      worker.kill("SIGKILL");
      await ended;
    }
    await this.#startProcess(owner.name, ["work"]);
  }

  #heartbeatOf(id: string) {
    return this.#database.query<{ at: number }>("SELECT heartbeat_at AS at FROM processes WHERE id = $1", [id]);
  }

  async #cancelJob(): Promise<void> {
    const jobId = await this.#createJob(0);
    await this.#ownerOf(jobId);
    await this.#call(1, "POST", `/v1/namespace/notes/ingest-jobs/${jobId}/cancel`);
    const cancelledAt = performance.now();
    const { completed } = await this.#waitForEnd(jobId, 0);
    const cancelMs = Math.round(performance.now() - cancelledAt);
    this.outcome.cancelMs.push(cancelMs);
    if (cancelMs > MAX_CANCEL_MS) this.outcome.faults.push(`${jobId} was cancelled after ${cancelMs} ms`);
    this.#documents += completed;
  }

  /** Compares what is published with what has completed, without the rest of a worker that is back. */
  async #checkContent(): Promise<void> {
    const [found] = await this.#database.query<{ documents: number; chunks: number }>(
      `SELECT count(DISTINCT d.seq) AS documents, count(*) AS chunks FROM documents d
       JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation WHERE d.status = 'COMPLETED'`,
    );
    if (found!.documents !== this.#documents || found!.chunks !== this.#documents)
      this.outcome.faults.push(`${this.#documents} documents, but ${JSON.stringify(found)}`);
    const { data } = await this.#call(1, "POST", "/v1/namespace/notes/search", { query: "log", topK: 5 });
    if (data.length !== 5) this.outcome.faults.push(`${data.length} hits`);
  }

  async #createJob(web: number): Promise<string> {
    const items = Array.from({ length: DOCUMENTS }, (_, n) => ({ type: "TEXT", text: `Entry ${n} of the log.` }));
    const payload = { type: "BATCH", items };
    const { data } = await this.#call(web, "POST", "/v1/namespace/notes/ingest-jobs", { payload });
    return data.id;
  }

  /** The worker that has claimed a job and ingested a document of it. */
  async #ownerOf(jobId: string): Promise<{ readonly id: string; readonly name: string }> {
    for (;;) {
      const [row] = await this.#database.query<{ id: string; host: string }>(
        `SELECT p.id, p.host FROM tasks t JOIN processes p ON p.id = t.owner JOIN ingest_jobs j ON j.id = t.subject
         WHERE j.id = $1 AND j.documents_completed > 0`,
        [jobId],
      );
      if (row) return { id: row.id, name: row.host.split(" ")[0]! };
      const { status } = await this.#readJob(jobId, 1);
      if (status === "COMPLETED" || status === "FAILED") return { id: "", name: "" };
      await sleep(5);
    }
  }

  async #waitForEnd(jobId: string, web: number): Promise<{ readonly completed: number }> {
    for (;;) {
      const { status, counts } = await this.#readJob(jobId, web);
      if (["COMPLETED", "FAILED", "CANCELLED"].includes(status)) return counts.documents;
      await sleep(50);
    }
  }

  async #readJob(jobId: string, web: number) {
    return (await this.#call(web, "GET", `/v1/namespace/notes/ingest-jobs/${jobId}`)).data;
  }

  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the type of its response
  async #call(web: number, method: string, path: string, body?: unknown): Promise<any> {
    const { address } = this.#machines[web]!;
    const response = await fetch(`http://${address}:${PORT}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  #machineOf(name: string): VirtualMachine {
    return this.#machines.find((machine) => machine.name === name)!;
  }

  /** Starts a process and returns the first line that it prints. */
  async #startProcess(name: string, args: readonly string[]): Promise<string> {
    const all = [MAIN, ...args, "--json", "--directory", mkdtempSync(join(this.#folder, name))];
    const child = this.#machineOf(name).start(process.execPath, all, this.#env);
    this.#processes.set(name, child);
    child.stderr!.resume();
    const [line] = await once(child.stdout!, "data");
    child.stdout!.resume();
    return String(line);
  }
}
