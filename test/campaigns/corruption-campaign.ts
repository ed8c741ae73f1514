import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { CheckFinding, CheckSummary, KnowledgeBase, NamespaceHandle } from "lorebase";
import { damageFreelist, damagePointerMap } from "../support/damaged-structure.js";
import { type Random, seededRandom } from "./random.js";

export interface CorruptionOptions {
  /** With fifty documents each. @default 24 */
  readonly jobs?: number;
  /** Single bits to flip in the database, each in a copy of its own. */
  readonly flips: number;
  /** Files to flip a bit in, and files to cut. */
  readonly files: number;
  readonly seed: number;
  /** The module to import the engine from. */
  readonly library: string;
  onFlip?(flip: FlipOutcome): void;
}

interface FlipOutcome {
  readonly offset: number;
  /** The tables that read differently, and `file` if SQLite finds the file damaged; none if the bit is in free space. */
  readonly live: readonly string[];
  /** Whether a check found something, or the database was not opened. */
  readonly isFound: boolean;
  /** Whether a repair, and ingesting again what it names, left nothing wrong. */
  readonly isRestored: boolean;
  /** Texts that were returned and never written. */
  readonly altered: readonly string[];
  readonly findings: readonly string[];
}

export interface CorruptionOutcome {
  readonly flips: readonly FlipOutcome[];
  /** Whether a repair found damage in SQLite's own structures, and wrote nothing. */
  readonly structures: readonly {
    readonly structure: string;
    readonly isFound: boolean;
    readonly isUnchanged: boolean;
  }[];
  /** Changed files, and how many of them a check found, a download refused, and an ingest refused. */
  readonly files: {
    readonly changed: number;
    readonly found: number;
    readonly refused: number;
    readonly failed: number;
  };
  readonly faults: readonly string[];
}

const DEFAULT_JOBS = 24;
const DOCUMENTS_PER_JOB = 50;
const WORDS = ["lamp", "harbour", "keeper", "dusk", "wick", "oil", "tower", "fog", "bell", "tide", "gull", "rope"];
const QUERIES = ["lamp keeper", "harbour fog", "bell tide rope", "oil wick", "tower gull dusk"];
const MODES = ["keyword", "semantic", "hybrid"] as const;
const LEXICAL = { provider: "MANAGED_LEXICAL" };

/** Flips bits of a database and of files, and cuts files: what is returned, found and restored? */
export async function corruptionCampaign(options: CorruptionOptions): Promise<CorruptionOutcome> {
  const base = mkdtempSync(join(tmpdir(), "lorebase-corrupt-"));
  try {
    const campaign = new Campaign(options, base);
    return await campaign.run();
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

class Campaign {
  readonly #options: CorruptionOptions;
  readonly #base: string;
  readonly #random: Random;
  readonly #faults: string[] = [];
  /** Every text that was written, and the text of each chunk. */
  #texts: ReadonlySet<string> = new Set();

  constructor(options: CorruptionOptions, base: string) {
    this.#options = options;
    this.#base = base;
    this.#random = seededRandom(options.seed);
  }

  async run(): Promise<CorruptionOutcome> {
    const original = join(this.#base, "original");
    await this.#fill(original);
    const flips: FlipOutcome[] = [];
    for (let flip = 0; flip < this.#options.flips; flip++) {
      const directory = join(this.#base, `flip${flip}`);
      cpSync(original, directory, { recursive: true });
      const outcome = await this.#flip(directory, original);
      flips.push(outcome);
      this.#options.onFlip?.(outcome);
      rmSync(directory, { recursive: true, force: true });
    }
    const structures: CorruptionOutcome["structures"][number][] = [];
    for (const damage of [damageFreelist, damagePointerMap]) {
      const directory = join(this.#base, damage.name);
      cpSync(original, directory, { recursive: true });
      structures.push(await this.#damageStructure(directory, damage));
    }
    const files = await this.#changeFiles();
    return { flips, structures, files, faults: this.#faults };
  }

  async #open(
    directory: string,
    options: { readonly worker?: false } = {},
  ): Promise<{ kb: KnowledgeBase; handle: NamespaceHandle }> {
    const { KnowledgeBase } = (await import(this.#options.library)) as typeof import("lorebase");
    const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, ...options });
    kb.on("error", () => {});
    return { kb, handle: kb.namespace("campaign") };
  }

  async #fill(directory: string): Promise<void> {
    const { kb, handle } = await this.#open(directory);
    await kb.namespaces.create({ name: "Campaign", slug: "campaign" });
    for (let job = 0; job < (this.#options.jobs ?? DEFAULT_JOBS); job++) {
      const items = Array.from({ length: DOCUMENTS_PER_JOB }, (_, item) => {
        const fileName = `note-${job}-${item}.md`;
        return { type: "TEXT" as const, text: this.#text(60), fileName, config: { metadata: { job } } };
      });
      await handle.ingest({ type: "BATCH", items }).done();
    }
    await kb.drain();
    this.#texts = await this.#readAll(handle);
    await kb.close();
  }

  /** The texts of all chunks. */
  async #readAll(handle: NamespaceHandle): Promise<ReadonlySet<string>> {
    const texts = new Set<string>();
    for await (const { id } of handle.documents.iterate())
      for await (const { text } of handle.documents.chunks(id)) texts.add(text);
    return texts;
  }

  async #flip(directory: string, original: string): Promise<FlipOutcome> {
    const path = join(directory, "lorebase.db");
    const bytes = readFileSync(path);
    const offset = this.#random.integer(0, bytes.length - 1);
    bytes[offset]! ^= 1 << this.#random.integer(0, 7);
    writeFileSync(path, bytes);
    const before = contentOf(original);
    const live = [...contentOf(directory)].filter(([name, hash]) => before.get(name) !== hash).map(([name]) => name);
    const outcome = {
      offset,
      live,
      isFound: false,
      isRestored: false,
      altered: [] as string[],
      findings: [] as string[],
    };
    const { kb, handle } = await this.#open(directory);
    try {
      outcome.altered = await this.#search(handle);
      const { findings } = await check(kb);
      outcome.findings = findings.map(({ stage, message }) => `${stage}: ${message}`);
      outcome.isFound = findings.length > 0;
      outcome.isRestored = findings.length === 0 || (await this.#restore(kb, handle));
    } catch (error) {
      // What isn't opened or answered is not taken for sound.
      outcome.isFound = true;
      outcome.findings.push(`refused: ${error instanceof Error ? error.message : error}`);
    } finally {
      await kb.close().catch(() => {});
    }
    return outcome;
  }

  async #damageStructure(
    directory: string,
    damage: (path: string) => void,
  ): Promise<CorruptionOutcome["structures"][number]> {
    damage(join(directory, "lorebase.db"));
    const before = contentOf(directory);
    const { kb } = await this.#open(directory, { worker: false });
    const { findings, summary } = await check(kb, { repair: true });
    const after = contentOf(directory);
    await kb.close();
    const isFound = findings.some(({ stage, remedy }) => stage === "database" && remedy === "restore");
    const isUnchanged = summary.repaired === 0 && [...before].every(([name, hash]) => after.get(name) === hash);
    return { structure: damage.name, isFound, isUnchanged };
  }

  /** Returns the texts of hits that were never written. A search that fails returns none. */
  async #search(handle: NamespaceHandle): Promise<string[]> {
    const altered: string[] = [];
    for (const mode of MODES)
      for (const query of QUERIES) {
        const hits = await handle.search(query, { mode, topK: 100 }).catch(() => []);
        for (const { text, metadata } of hits)
          if (!this.#texts.has(text) || !/^note-\d+-\d+\.md$/.test(String(metadata?.filename))) altered.push(text);
      }
    for await (const { id } of handle.documents.iterate()) {
      try {
        for await (const { text } of handle.documents.chunks(id)) if (!this.#texts.has(text)) altered.push(text);
      } catch {
        // A damaged document is not listed as if it were whole.
      }
    }
    return altered;
  }

  async #restore(kb: KnowledgeBase, handle: NamespaceHandle): Promise<boolean> {
    const { summary } = await check(kb, { repair: true });
    const jobs = new Set(summary.damaged.filter(({ hasSource }) => hasSource).map(({ ingestJobId }) => ingestJobId));
    for (const id of jobs) await (await handle.ingestJobs.reingest(id)).done();
    await kb.drain();
    const again = await check(kb);
    const texts = await this.#readAll(handle);
    return (
      again.findings.length === 0 &&
      texts.size === this.#texts.size &&
      [...texts].every((text) => this.#texts.has(text))
    );
  }

  async #changeFiles(): Promise<CorruptionOutcome["files"]> {
    const directory = join(this.#base, "files");
    mkdirSync(directory);
    const { kb, handle } = await this.#open(directory);
    await kb.namespaces.create({ name: "Campaign", slug: "campaign" });
    const changed = 2 * this.#options.files;
    const jobs: string[] = [];
    for (let file = 0; file < changed; file++) {
      const body = Buffer.from(this.#text(this.#random.integer(20, 4000)));
      const { key } = await handle.uploads.put({ fileName: `file-${file}.txt`, contentType: "text/plain", body });
      jobs.push((await handle.ingestJobs.create({ payload: { type: "MANAGED_FILE", key } })).id);
    }
    await kb.drain();
    const blobs = join(directory, "blobs");
    const paths = readdirSync(blobs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const [index, path] of paths.entries()) {
      if (index % 2 === 0) flipBit(path, this.#random);
      else truncateSync(path, this.#random.integer(0, statSync(path).size - 1));
    }
    const { findings } = await check(kb);
    let refused = 0;
    let failed = 0;
    for await (const { id } of handle.documents.iterate()) {
      const body = await handle.documents
        .file(id)
        .then(
          (file) => new Response(file.body).text(),
          () => null,
        )
        .catch(() => null);
      if (body === null) refused++;
    }
    for (const id of jobs) {
      const job = await (await handle.ingestJobs.reingest(id)).done();
      if (job.status === "FAILED" && /is damaged/.test(job.error ?? "")) failed++;
    }
    await kb.close();
    return { changed, found: findings.filter(({ stage }) => stage === "files").length, refused, failed };
  }

  #text(words: number): string {
    return `${Array.from({ length: words }, () => `${this.#random.pick(WORDS)} ${this.#random.integer(0, 9999)}`).join(" ")}.`;
  }
}

async function check(
  kb: KnowledgeBase,
  options: { readonly repair?: boolean } = {},
): Promise<{ findings: readonly CheckFinding[]; summary: CheckSummary }> {
  const findings: CheckFinding[] = [];
  for await (const event of kb.check(options)) {
    if (event.type === "finding") findings.push(event.finding);
    if (event.type === "summary") return { findings, summary: event.summary };
  }
  throw new Error("The check ended without a summary.");
}

function flipBit(path: string, random: Random): void {
  const bytes = readFileSync(path);
  bytes[random.integer(0, bytes.length - 1)]! ^= 1 << random.integer(0, 7);
  writeFileSync(path, bytes);
}

/** What SQLite reads of a database: a hash of the rows of every table, and of what it finds wrong. */
function contentOf(directory: string): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  const add = (name: string, read: () => unknown) => {
    let content: string;
    try {
      content = JSON.stringify(read());
    } catch (error) {
      content = String(error);
    }
    contents.set(name, createHash("sha256").update(content).digest("hex"));
  };
  try {
    const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
    try {
      const tables = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        .pluck()
        .all() as string[];
      for (const table of tables) add(table, () => db.prepare(`SELECT * FROM "${table}"`).raw().all());
      add("file", () => db.pragma("integrity_check"));
    } finally {
      db.close();
    }
  } catch (error) {
    add("file", () => String(error));
  }
  return contents;
}
