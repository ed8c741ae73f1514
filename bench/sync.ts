import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { editMarkdown, type MarkdownFile, makeMarkdown, renderMarkdown } from "../test/support/make-markdown.js";
import { providerOf } from "../test/support/providers.js";
import { seeded } from "./texts.js";

const UNCHANGED_FILES = 10_000;
const RUNS = 5;
const EDITED_FILES = 1000;
const EDITS = 100;

/**
 * Measures a sync of an unchanged folder, compared with a bare walk that reads the state of every file, and counts the
 * chunks embedded after an edit of one paragraph in one of a thousand files.
 */
export async function benchSync(log: (line: string) => void) {
  const work = await mkdtemp(join(tmpdir(), "lorebase-bench-"));
  try {
    return { unchanged: await unchanged(join(work, "unchanged"), log), edits: await edits(join(work, "edits"), log) };
  } finally {
    await rm(work, { recursive: true });
  }
}

async function unchanged(dir: string, log: (line: string) => void) {
  const paths = Array.from({ length: UNCHANGED_FILES }, (_, index) => join(dir, `${index % 100}`, `${index}.md`));
  for (const [index, path] of paths.entries())
    await put(path, `# File ${index}\n\nText number ${index} of the folder.\n`);
  const { kb, embedded } = await open();
  const sync = async () => (await kb.sync("bench", { dir })).done();
  log(`${(await sync()).added.length} files ingested`);
  const first = embedded();
  // Files too recent for the first listing to detect changes are read once more.
  await sync();
  const synced: Cost[] = [];
  const bare: Cost[] = [];
  for (let run = 0; run < RUNS; run++) {
    synced.push(await costOf(sync));
    bare.push(await costOf(() => walk(dir)));
  }
  const again = embedded();
  await kb.close();
  const [sync_, walk_] = [medianOf(synced), medianOf(bare)];
  log(`nothing changed: ${sync_.wallMs.toFixed(0)} ms, a bare walk: ${walk_.wallMs.toFixed(0)} ms`);
  return {
    files: UNCHANGED_FILES,
    embedded: { first, again },
    sync: sync_,
    bareWalk: walk_,
    cpuRatio: sync_.cpuMs / walk_.cpuMs,
  };
}

async function edits(dir: string, log: (line: string) => void) {
  const random = seeded(7);
  const files: MarkdownFile[] = Array.from({ length: EDITED_FILES }, () => makeMarkdown(random));
  const path = (index: number) => join(dir, `${index % 10}`, `${index}.md`);
  for (const [index, file] of files.entries()) await put(path(index), renderMarkdown(file));
  const { kb, embedded } = await open();
  const sync = async () => (await kb.sync("bench", { dir })).done();
  await sync();
  const chunks = embedded();
  log(`${EDITED_FILES} files ingested, ${chunks} chunks`);
  const counts: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const index = Math.floor(random() * EDITED_FILES);
    files[index] = editMarkdown(files[index]!, random).file;
    await put(path(index), renderMarkdown(files[index]!));
    const { changed } = await sync();
    if (changed.length !== 1) throw new Error(`${changed.length} files were reported as changed`);
    counts.push(embedded());
  }
  await kb.close();
  counts.sort((a, b) => a - b);
  const at = (fraction: number) => counts[Math.floor((EDITS - 1) * fraction)]!;
  return { files: EDITED_FILES, chunks, edits: EDITS, embedded: { median: at(0.5), p90: at(0.9), max: at(1) } };
}

async function open() {
  const embedder = fakeEmbedder({ provider: "COUNTING" });
  const kb = new KnowledgeBase({ directory: ":memory:", embedders: [providerOf(embedder)] });
  await kb.namespaces.create({ name: "Bench", slug: "bench", embeddingConfig: { provider: "COUNTING" } });
  let seen = 0;
  const embedded = () => {
    const texts = embedder.calls.slice(seen).reduce((sum, call) => sum + call.texts.length, 0);
    seen = embedder.calls.length;
    return texts;
  };
  return { kb, embedded };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function walk(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await walk(path);
      else await lstat(path);
    }),
  );
}

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - started, cpuMs: (user + system) / 1000 };
}

function medianOf(costs: readonly Cost[]): Cost {
  const middle = (pick: (cost: Cost) => number) => costs.map(pick).sort((a, b) => a - b)[Math.floor(costs.length / 2)]!;
  return { wallMs: middle(({ wallMs }) => wallMs), cpuMs: middle(({ cpuMs }) => cpuMs) };
}
