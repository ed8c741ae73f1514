import { readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { KnowledgeBase, type NamespaceHandle } from "lorebase";
import { makeTexts, seeded } from "./texts.js";

const WORDS = 150;
const PLANTED = 0.01;
const [LEAST_CHANGED, MOST_CHANGED] = [0.05, 0.3];
const JOB = 1000;
/** Passages with as many words are more than titles. */
const LONG_WORDS = 30;

/** A copy of a text in which some words are replaced. */
interface Planted {
  readonly text: string;
  readonly source: string;
  readonly changed: number;
}

/**
 * Plants copies of 1 % of the passages, in which 5 to 30 % of the words are replaced by words of other passages, and
 * measures how many of them a report finds, with which original, and what it takes.
 * @param corpora A folder with `retrieval/<name>/corpus.jsonl`; `null` to generate texts.
 */
export async function benchHealth(corpora: string | null, chunks: number, log: (line: string) => void) {
  const texts = corpora === null ? makeTexts(chunks, 6 * WORDS) : await readPassages(corpora);
  const planted = plant(texts);
  log(`${texts.length} passages, ${corpora === null ? "generated" : `from ${corpora}`}, and ${planted.length} copies`);
  const directory = join(tmpdir(), `lorebase-health-${process.pid}`);
  const kb = new KnowledgeBase({ directory, defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
  try {
    await kb.namespaces.create({ name: "health", slug: "health" });
    const handle = kb.namespace("health");
    await ingest(handle, texts);
    const first = await report(handle);
    log(`found ${first.nearDuplicates} near-duplicates without the copies in ${first.cpuSeconds.toFixed(1)} s of CPU`);
    await ingest(
      handle,
      planted.map(({ text }) => text),
    );
    const second = await report(handle);
    const found = await score(handle, planted);
    const again = await report(handle);
    const bytes = await bytesOf(directory);
    return { passages: texts.length, copies: planted.length, first, second, again, ...found, ...bytes };
  } finally {
    await kb.close();
    await rm(directory, { recursive: true });
  }
}

async function readPassages(corpora: string): Promise<string[]> {
  const folder = join(corpora, "retrieval");
  const passages = new Set<string>();
  for (const name of await readdir(folder)) {
    const lines = (await readFile(join(folder, name, "corpus.jsonl"), "utf8")).trim().split("\n");
    for (const line of lines) {
      const { title = "", text } = JSON.parse(line) as { title?: string; text: string };
      const words = `${title} ${text}`.trim().split(/\s+/);
      for (let start = 0; start < words.length; start += WORDS)
        passages.add(words.slice(start, start + WORDS).join(" "));
    }
  }
  return [...passages].filter((passage) => passage !== "");
}

function plant(texts: readonly string[]): readonly Planted[] {
  const random = seeded(1);
  const words = texts.slice(0, 10_000).flatMap((text) => text.split(" "));
  return texts
    .filter(() => random() < PLANTED)
    .map((source) => {
      const changed = LEAST_CHANGED + (MOST_CHANGED - LEAST_CHANGED) * random();
      const text = source
        .split(" ")
        .map((word) => (random() < changed ? words[Math.floor(random() * words.length)]! : word))
        .join(" ");
      return { text, source, changed };
    });
}

async function ingest(handle: NamespaceHandle, texts: readonly string[]): Promise<void> {
  for (let first = 0; first < texts.length; first += JOB) {
    const items = texts.slice(first, first + JOB).map((text) => ({ type: "TEXT" as const, text }));
    await handle.ingest({ type: "BATCH", items }, { chunkSize: 8192 }).done({ throwOnFailure: true });
  }
}

/** Reports until all passages are compared. */
async function report(handle: NamespaceHandle) {
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { isComplete, nearDuplicates } = await handle.health.report({ checks: ["near-duplicates"], maxSeconds: 60 });
    if (!isComplete) continue;
    const { user, system } = process.cpuUsage(cpu);
    return { nearDuplicates, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 };
  }
}

async function score(handle: NamespaceHandle, planted: readonly Planted[]) {
  const originals = new Map<string, { readonly text: string; readonly similarity: number }>();
  for await (const { passage, original, similarity } of handle.health.iterate("near-duplicates", { perPage: 100 }))
    originals.set(passage.text, { text: original.text, similarity });
  const isFound = ({ text, source }: Planted) => originals.get(text)?.text === source;
  const recorded = planted.filter(({ text }) => originals.has(text));
  const share = (some: readonly Planted[]) => some.filter(isFound).length / some.length;
  const between = (low: number, high: number) => planted.filter(({ changed }) => changed >= low && changed < high);
  return {
    recall: share(planted),
    recallOfLongCopies: share(planted.filter(({ source }) => source.split(" ").length >= LONG_WORDS)),
    recallByChange: [0.05, 0.1, 0.15, 0.2, 0.25].map((low) => share(between(low, low + 0.05))),
    precisionOfCopies: share(recorded),
    recordedWithAnother: recorded.filter((copy) => !isFound(copy)).length,
  };
}

async function bytesOf(directory: string) {
  const file = join(directory, "lorebase.db");
  const db = new BetterSqlite3(file, { readonly: true });
  const { bytes } = db
    .prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE 'passage_signatures%'")
    .get() as { bytes: number };
  const { passages } = db.prepare("SELECT sum(passages) AS passages FROM passage_signatures").get() as {
    passages: number;
  };
  db.close();
  return { signatureBytesPerPassage: bytes / passages, databaseBytesPerPassage: (await stat(file)).size / passages };
}
