import { describe, expect, it, onTestFinished, vi } from "vitest";
import { KnowledgeBase as InDirectory, type KnowledgeBaseOptions } from "#dist/index.js";
import { gateEmbedder } from "../support/gate.js";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { providerOf } from "../support/providers.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { webhookReceiver } from "../support/webhook-receiver.js";

const START = Date.UTC(2026, 0, 1);
const server = await openTestDatabase();
await server?.drop();

type Place = Pick<KnowledgeBaseOptions, "directory" | "database" | "masterKey" | "sharedDirectory">;

const ENGINES: readonly { readonly engine: string; readonly isMissing: boolean; open(): Promise<Place> }[] = [
  { engine: "SQLite", isMissing: false, open: async () => ({ directory: temporaryDirectory() }) },
  {
    engine: server ? "PostgreSQL" : `PostgreSQL (${POSTGRES_MISSING})`,
    isMissing: server === null,
    async open() {
      const database = (await openTestDatabase())!;
      onTestFinished(() => database.drop());
      const { url } = database;
      return { directory: temporaryDirectory(), database: url, masterKey: "22".repeat(32), sharedDirectory: true };
    },
  },
];

describe.each(ENGINES)("processes on one knowledge base, in $engine", ({ isMissing, open }) => {
  it.skipIf(isMissing)("take up the job of a worker that is gone within a minute", async () => {
    useFakeIntervals();
    const place = await open();
    const gone = openProcess(place);
    const { id } = await startJob(gone.kb);
    await gone.gate.arrival();
    vi.clearAllTimers();

    const other = openProcess(place);
    other.setClock(START + 30_000);
    await other.kb.start();
    vi.advanceTimersByTime(15_000);
    expect((await other.kb.ingestJobs.get("notes", id)).status).toBe("PROCESSING");
    other.gate.openForAll();
    // Heartbeats are 15 s apart: the last one within a minute of the worker's end is after 45 s or later.
    other.setClock(START + 45_000);
    vi.advanceTimersByTime(15_000);
    const run = await other.kb.ingestJobs.watch("notes", id);
    expect((await run.done()).status).toBe("COMPLETED");
    gone.gate.openForAll();
    expect((await other.kb.documents.list("notes")).items).toHaveLength(1);
  });

  it.skipIf(isMissing)("stop a job within two seconds after another has cancelled it", async () => {
    useFakeIntervals();
    const place = await open();
    const { kb, gate } = openProcess(place);
    const { id } = await startJob(kb);
    await gate.arrival();
    const other = openProcess({ ...place, worker: false });
    expect((await other.kb.ingestJobs.cancel("notes", id)).status).toBe("CANCELLING");
    vi.advanceTimersByTime(2000);
    const run = await other.kb.ingestJobs.watch("notes", id);
    expect((await run.done()).status).toBe("CANCELLED");
  });

  it.skipIf(isMissing)("remove documents, jobs and their namespace side by side, and tell webhooks once", async () => {
    const place = { ...(await open()), network: { allowPrivateHosts: ["127.0.0.1"] } };
    const processes = [1, 2].map(() => openProcess({ ...place, worker: false }));
    const receiver = await webhookReceiver();
    const errors: unknown[] = [];
    for (const { kb, gate } of processes) {
      gate.openForAll();
      kb.on("error", ({ error }) => errors.push(error));
    }
    const { kb } = processes[0]!;
    await kb.webhooks.create({ url: receiver.url, eventTypes: ["document.deleted", "ingest_job.deleted"] });
    await startJob(kb);
    for (let job = 0; job < 50; job++)
      await kb.ingestJobs.create("notes", { payload: { type: "TEXT", text: `The lamp was lit ${job} times.` } });
    await kb.drain();
    for (const { id, ingestJobId } of (await kb.documents.list("notes", { perPage: 100 })).items) {
      await kb.documents.delete("notes", id);
      await kb.ingestJobs.delete("notes", ingestJobId);
    }
    await kb.namespaces.delete("notes");
    await Promise.all(processes.map((each) => each.kb.drain()));
    expect(errors).toEqual([]);
    const messages = [...new Map(receiver.requests.map(({ id, event }) => [id, event])).values()];
    expect(messages).toHaveLength(2 * 51);
    expect(new Set(messages.map(({ data }) => data.id)).size).toBe(2 * 51);
  });
});

/** The intervals of workers: heartbeats, and looks at the queue and at whether jobs are still wanted. */
function useFakeIntervals(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
}

function openProcess(options: KnowledgeBaseOptions) {
  const gate = gateEmbedder();
  let now = START;
  const kb = new InDirectory({
    embedders: [providerOf(gate)],
    defaultEmbedding: { provider: "GATE" },
    clock: () => new Date(now),
    ...options,
  });
  onTestFinished(() => kb.close());
  const setClock = (time: number) => {
    now = time;
  };
  return { kb, gate, setClock };
}

async function startJob(kb: InDirectory) {
  await kb.namespaces.create({ name: "Notes", slug: "notes" });
  return kb.ingestJobs.create("notes", { payload: { type: "TEXT", text: "The lamp is lit at dusk." } });
}
