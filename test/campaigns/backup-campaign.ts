import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type BackupManifest, KnowledgeBase, type NamespaceHandle, restoreBackup } from "lorebase";

const WRITES_PER_SECOND = 100;
/** One write in so many stores a file, the others a rating. */
const WRITES_PER_FILE = 10;
const SEARCHES_PER_SECOND = 20;

interface BackupPlan {
  readonly rounds: number;
  /** Texts to search, one chunk each. */
  readonly texts: number;
  readonly bytesPerSecond: number;
  /** How long searches are measured before the first backup. */
  readonly measuredMs: number;
  onRound?(round: BackupRound): void;
}

interface BackupRound {
  readonly seconds: number;
  readonly megabytes: number;
  readonly acknowledged: number;
  /** Milliseconds. */
  readonly p99: number;
}

/**
 * Backs up a knowledge base while it takes 100 writes a second and is searched, verifies and restores each backup, and
 * looks for every write that was acknowledged before the backup began.
 */
export async function backupCampaign({ rounds, texts, bytesPerSecond, measuredMs, onRound }: BackupPlan) {
  const folder = await mkdtemp(join(tmpdir(), "lorebase-backups-"));
  const kb = new KnowledgeBase({ directory: join(folder, "kb") });
  const faults: string[] = [];
  try {
    await kb.namespaces.create({ name: "Load", slug: "load", embeddingConfig: { provider: "MANAGED_STATIC" } });
    const load = kb.namespace("load");
    await ingest(load, texts);
    const writer = writeSteadily(load);
    const before = await measureSearches(load, () => setTimeout(measuredMs));
    const during: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const acknowledged = [...writer.acknowledged];
      const started = performance.now();
      let manifest: BackupManifest | undefined;
      const latencies = await measureSearches(load, async () => {
        manifest = await kb.backup(join(folder, "backup"), { bytesPerSecond });
      });
      during.push(...latencies);
      const seconds = (performance.now() - started) / 1000;
      const megabytes = manifest!.database.bytes / 2 ** 20;
      onRound?.({ seconds, megabytes, acknowledged: acknowledged.length, p99: percentile(latencies, 0.99) });
      faults.push(...(await findFaults(folder, manifest!, acknowledged)).map((fault) => `round ${round}: ${fault}`));
    }
    await writer.stop();
    const p99 = { before: percentile(before, 0.99), during: percentile(during, 0.99) };
    return { rounds, faults, writes: writer.acknowledged.size, searches: before.length + during.length, p99 };
  } finally {
    await kb.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function ingest(load: NamespaceHandle, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const items = Array.from({ length: Math.min(1000, count - from) }, (_, index) => {
      const number = from + index;
      return { type: "TEXT" as const, text: `Lamp ${number} of pier ${number % 31} is lit by keeper ${number % 97}.` };
    });
    await load.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
  }
}

/** Writes at a steady rate. A write is acknowledged once its call has returned. */
function writeSteadily(load: NamespaceHandle) {
  const acknowledged = new Set<string>();
  const pending = new Set<Promise<void>>();
  let count = 0;
  const write = async () => {
    const number = count++;
    if (number % WRITES_PER_FILE === 0) {
      const { key } = await load.uploads.put({ fileName: `${number}.txt`, body: Buffer.from(`file ${number}`) });
      acknowledged.add(key);
    } else {
      const { id } = await load.feedback.add({ question: `${number}`, answer: "yes", rating: "up", chunkIds: [] });
      acknowledged.add(id);
    }
  };
  const timer = setInterval(() => {
    const writing = write().finally(() => pending.delete(writing));
    pending.add(writing);
  }, 1000 / WRITES_PER_SECOND);
  return {
    acknowledged,
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
}

/** Searches at a steady rate while the work runs. Returns the latencies in milliseconds. */
async function measureSearches(load: NamespaceHandle, work: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  const pending = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const started = performance.now();
    const searching = load.search(`lamp of pier ${latencies.length % 31}`).then(() => {
      latencies.push(performance.now() - started);
      pending.delete(searching);
    });
    pending.add(searching);
  }, 1000 / SEARCHES_PER_SECOND);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  await Promise.all(pending);
  return latencies;
}

/** Restores the backup, checks it, and looks for the acknowledged writes. */
async function findFaults(
  folder: string,
  manifest: BackupManifest,
  acknowledged: readonly string[],
): Promise<readonly string[]> {
  const directory = join(folder, "restored");
  const { verifyBackup } = await import("#dist/backup/verify.js");
  await verifyBackup(join(folder, "backup"), manifest);
  await restoreBackup(join(folder, "backup"), directory);
  const kb = new KnowledgeBase({ directory, readOnly: true });
  try {
    const copy = kb.namespace("load");
    const found = new Set<string>();
    for await (const { id } of copy.feedback.iterate({ perPage: 100 })) found.add(id);
    const { openSqliteStorage } = await import("#dist/storage/sqlite/sqlite-storage.js");
    const storage = await openSqliteStorage(directory);
    for (const key of acknowledged.filter((each) => each.includes("/")))
      if ((await storage.uploads.get({ key }))?.state === "stored") found.add(key);
    await storage.close();
    const hits = await copy.search("lamp of pier 7");
    return [
      ...acknowledged.filter((id) => !found.has(id)).map((id) => `lost: ${id}`),
      ...(hits.length === 0 ? ["a search finds nothing"] : []),
    ];
  } finally {
    await kb.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
