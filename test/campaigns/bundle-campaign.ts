import { readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KnowledgeBase, KnowledgeBaseError } from "lorebase";
import { seededRandom } from "./random.js";

interface CorruptionPlan {
  readonly bundles: number;
  readonly seed: number;
  onProgress?(done: number): void;
}

/** Damages a bundle at random places, and imports each. Returns the damaged bundles that were not refused as they must. */
export async function corruptionCampaign({ bundles, seed, onProgress }: CorruptionPlan) {
  const random = seededRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), "lorebase-bundles-"));
  const kb = new KnowledgeBase({ directory: join(folder, "kb") });
  const faults: string[] = [];
  try {
    await kb.namespaces.create({ name: "Small", slug: "small", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
    const small = kb.namespace("small");
    const { key } = await small.uploads.put({ fileName: "a.md", body: Buffer.from("# A\n\nThe keeper sleeps.") });
    await small.ingest({ type: "MANAGED_FILE", key, fileName: "a.md" }).done({ throwOnFailure: true });
    await small.ingest({ type: "TEXT", text: "The lamp is lit before sunset." }).done({ throwOnFailure: true });
    const bundle = join(folder, "bundle");
    await small.export(bundle, { includeOriginals: true });
    const whole = readFileSync(bundle);
    const damaged = join(folder, "damaged");
    for (let number = 0; number < bundles; number++) {
      const at = random.integer(0, whole.length - 1);
      const { name, bytes } = damage(whole, at, random.pick(["flip", "cut", "insert", "remove", "zero"]), random);
      writeFileSync(damaged, bytes);
      const line = whole.subarray(0, at).toString("latin1").split("\n").length;
      const outcome = await kb.import(damaged, { slug: "copy" }).then(
        () => "was imported",
        (error: unknown) => problemOf(error, line),
      );
      if (outcome !== null) faults.push(`bundle ${number}: ${name} at byte ${at}, line ${line}: ${outcome}`);
      if ((number + 1) % 500 === 0) onProgress?.(number + 1);
    }
    const namespaces = (await kb.namespaces.list()).items.length;
    if (namespaces !== 1) faults.push(`there are ${namespaces} namespaces`);
    if ((await small.export(bundle)).documents !== 2) faults.push("the exported namespace has changed");
    return { bundles, seed, faults };
  } finally {
    await kb.close();
    await rm(folder, { recursive: true, force: true });
  }
}

type Damage = "flip" | "cut" | "insert" | "remove" | "zero";

function damage(whole: Buffer, at: number, kind: Damage, random: ReturnType<typeof seededRandom>) {
  const [head, tail] = [whole.subarray(0, at), whole.subarray(at)];
  const changed = Buffer.from(whole);
  switch (kind) {
    case "flip":
      changed[at]! ^= 1 << random.integer(0, 7);
      return { name: kind, bytes: changed };
    case "zero":
      changed.fill(0, at, Math.min(changed.length, at + random.integer(1, 64)));
      return { name: kind, bytes: changed };
    case "cut":
      return { name: kind, bytes: head };
    case "insert":
      return { name: kind, bytes: Buffer.concat([head, Buffer.from([random.integer(0, 255)]), tail]) };
    case "remove":
      return { name: kind, bytes: Buffer.concat([head, tail.subarray(1)]) };
  }
}

/** Returns `null` if a damaged bundle was refused and the place named. A cut or an inserted line break moves it by one. */
function problemOf(error: unknown, line: number): string | null {
  if (!KnowledgeBaseError.is(error, "invalid_input")) return `failed with ${String(error)}`;
  const named = Number(/: line (\d+),/.exec(error.message)?.[1]);
  return Math.abs(named - line) <= 1 ? null : `was refused for another place: ${error.message}`;
}

interface SizePlan {
  readonly chunks: number;
  onStep?(step: string, seconds: number, residentMb: number): void;
}

/** Exports and imports a large namespace, and measures memory over that of the idle process. */
export async function sizeCampaign({ chunks, onStep }: SizePlan) {
  const folder = await mkdtemp(join(tmpdir(), "lorebase-bundles-"));
  const kb = new KnowledgeBase({ directory: join(folder, "kb"), limits: { scanMemoryMb: 0 } });
  try {
    await kb.namespaces.create({ name: "Large", slug: "large", embeddingConfig: { provider: "MANAGED_STATIC" } });
    const large = kb.namespace("large");
    for (let from = 0; from < chunks; from += 1000) {
      const items = Array.from({ length: Math.min(1000, chunks - from) }, (_, index) => {
        const number = from + index;
        return {
          type: "TEXT" as const,
          text: `Lamp ${number} of pier ${number % 31} is lit by keeper ${number % 97}.`,
        };
      });
      await large.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
    }
    globalThis.gc?.();
    const idle = residentMb();
    const bundle = join(folder, "bundle");
    const measure = async (step: string, work: () => Promise<unknown>) => {
      let peak = residentMb();
      const timer = setInterval(() => {
        peak = Math.max(peak, residentMb());
      }, 20);
      const started = performance.now();
      await work();
      clearInterval(timer);
      onStep?.(step, (performance.now() - started) / 1000, peak - idle);
      return peak - idle;
    };
    const exportMb = await measure("export", () => large.export(bundle));
    const importMb = await measure("import", () => kb.import(bundle, { slug: "copy" }));
    const differences = await compare(kb, folder);
    return { chunks, bundleMb: statSync(bundle).size / 2 ** 20, idleMb: idle, exportMb, importMb, differences };
  } finally {
    await kb.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the queries whose hits differ, and whether any vector does. */
async function compare(kb: KnowledgeBase, folder: string): Promise<readonly string[]> {
  const differences: string[] = [];
  for (let number = 0; number < 40; number++) {
    const query = `lamp ${number * 37} of pier ${number % 31}`;
    const texts = await Promise.all(
      ["large", "copy"].map(async (slug) => {
        const hits = await kb.search(slug, query, { topK: 20, mode: number % 2 === 0 ? "hybrid" : "semantic" });
        return JSON.stringify(hits.map(({ score, text }) => [score, text]));
      }),
    );
    if (texts[0] !== texts[1]) differences.push(query);
  }
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(join(folder, "kb", "lorebase.db"), { readonly: true });
  const vectors = (slug: string) =>
    db
      .prepare(
        `SELECT v.vector FROM namespaces n JOIN documents d ON d.namespace_id = n.id JOIN chunks c ON c.document_seq = d.seq
         JOIN vectors v ON v.chunk_seq = c.seq WHERE n.slug = ? ORDER BY c.seq`,
      )
      .pluck()
      .iterate(slug) as IterableIterator<Buffer>;
  const copies = vectors("copy");
  let count = 0;
  for (const vector of vectors("large")) {
    const { value } = copies.next();
    if (!value?.equals(vector)) differences.push(`vector ${count}`);
    count++;
  }
  if (count === 0 || !copies.next().done) differences.push("other numbers of vectors");
  db.close();
  return differences;
}

function residentMb(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}
