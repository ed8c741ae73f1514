import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnowledgeBaseOptions } from "lorebase";
import type { CampaignServer } from "./campaign-server.js";
import { faultsOf, type Piece, planDocument, readPiece, textOf } from "./pieces.js";
import { type Random, seededRandom } from "./random.js";
import { ReaderProcess } from "./reader-process.js";

export interface ReaderCampaignOptions {
  readonly server: CampaignServer;
  /** How many changes are made, each with searches of all processes beside and after it. */
  readonly interleavings: number;
  /** Changes that are under way at the same time, of different documents. */
  readonly concurrency: number;
  readonly processes: number;
  readonly seed: number;
  /** The module that processes import the engine from. */
  readonly library: string;
  onProgress?(interleavings: number): void;
}

export interface ReaderOutcome {
  readonly interleavings: number;
  readonly searches: number;
  /** Milliseconds from the commit of a new document until a search of another process had found it, sorted. */
  readonly foundMs: readonly number[];
  /** What was stale, mixed, incomplete or missing. */
  readonly faults: readonly string[];
}

interface LivingDocument {
  readonly marker: string;
  readonly pieces: number;
  readonly job: string;
  readonly document: string;
  readonly stamp: string;
}

/** Documents of each sequence of changes. With them the scope is large enough for an index of its vectors. */
const MIN_DOCUMENTS = 12;
const MODES = ["keyword", "semantic", "hybrid"] as const;

/** Lets processes of one database change documents, while and after which the others search for them. */
export async function readerCampaign(options: ReaderCampaignOptions): Promise<ReaderOutcome> {
  const { server, library, seed } = options;
  const directory = await mkdtemp(join(tmpdir(), "lorebase-readers-"));
  const database = server.urlAt(server.clientPort);
  const settings = { database, directory, masterKey: "11".repeat(32), sharedDirectory: true };
  await createNamespace(library, settings);
  const processes = Array.from({ length: options.processes }, () => new ReaderProcess(library, settings));
  try {
    const { interleavings, concurrency } = options;
    const shares = Array.from({ length: concurrency }, (_, index) => Math.floor((interleavings + index) / concurrency));
    const campaign = new ReaderCampaign(options, processes);
    await Promise.all(
      shares.map((share, index) => campaign.makeChanges(share, seededRandom(seed + index), `s${index}x`)),
    );
    return campaign.outcome();
  } finally {
    await Promise.all(processes.map((process) => process.end()));
    await rm(directory, { recursive: true, force: true });
  }
}

async function createNamespace(library: string, settings: KnowledgeBaseOptions): Promise<void> {
  const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
  const kb = new KnowledgeBase(settings);
  const embeddingConfig = { provider: "MANAGED_LEXICAL" };
  await kb.namespaces.ensure({ name: "Campaign", slug: "campaign", embeddingConfig });
  await kb.close();
}

class ReaderCampaign {
  readonly #options: ReaderCampaignOptions;
  readonly #processes: readonly ReaderProcess[];
  readonly #faults: string[] = [];
  readonly #foundMs: number[] = [];
  #interleavings = 0;
  #searches = 0;

  constructor(options: ReaderCampaignOptions, processes: readonly ReaderProcess[]) {
    this.#options = options;
    this.#processes = processes;
  }

  async makeChanges(interleavings: number, random: Random, prefix: string): Promise<void> {
    const living: LivingDocument[] = [];
    for (let number = 0; number < interleavings; number++) {
      const kind = random.next();
      if (living.length < MIN_DOCUMENTS || kind < 0.15) living.push(await this.#create(random, `${prefix}${number}`));
      else {
        const [chosen] = living.splice(random.integer(0, living.length - 1), 1);
        if (kind < 0.3) await this.#delete(random, chosen!);
        else living.push(await this.#reingest(random, chosen!));
      }
      this.#options.onProgress?.(++this.#interleavings);
    }
  }

  outcome(): ReaderOutcome {
    const foundMs = this.#foundMs.toSorted((a, b) => a - b);
    return { interleavings: this.#interleavings, searches: this.#searches, foundMs, faults: this.#faults };
  }

  async #create(random: Random, name: string): Promise<LivingDocument> {
    const planned = planDocument(random, name);
    const { marker, pieces } = planned;
    const [writer, ...readers] = this.#shuffled(random);
    const finding = readers[0]!.ask({ order: "find", marker });
    const created = writer!.ask({ order: "create", marker, text: textOf(planned, random) });
    const found = await this.#during(created, random, readers.slice(1), marker);
    const { texts, foundAt } = await finding;
    this.#require(texts!.length === pieces, `missing: ${texts!.length} of ${pieces} of the new ${marker}`);
    for (const each of found) this.#requireWhole(each, `beside the creation of ${marker}`);
    const { job, document } = await created;
    this.#foundMs.push(foundAt! - (await this.#committedAt(document!)));
    const stamp = await this.#requireOne(random, marker, pieces, new Set());
    return { marker, pieces, job: job!, document: document!, stamp };
  }

  async #reingest(random: Random, { stamp, ...rest }: LivingDocument): Promise<LivingDocument> {
    const { marker, pieces, job } = rest;
    const [writer, ...readers] = this.#shuffled(random);
    const found = await this.#during(writer!.ask({ order: "reingest", marker, job }), random, readers, marker);
    for (const each of found) {
      this.#require(each.length > 0, `empty: ${marker} while it was ingested again`);
      this.#requireWhole(each, `while ${marker} was ingested again`);
    }
    return { ...rest, stamp: await this.#requireOne(random, marker, pieces, new Set([stamp])) };
  }

  async #delete(random: Random, { marker, document }: LivingDocument): Promise<void> {
    const [writer, ...readers] = this.#shuffled(random);
    const found = await this.#during(writer!.ask({ order: "delete", marker, document }), random, readers, marker);
    for (const each of found) this.#requireWhole(each, `beside the deletion of ${marker}`);
    for (const pieces of await this.#searchAll(random, marker))
      this.#require(pieces.length === 0, `stale: ${pieces.length} pieces of ${marker} after its deletion`);
  }

  /** Searches in the readers until the change has taken effect. */
  async #during(
    change: Promise<unknown>,
    random: Random,
    readers: readonly ReaderProcess[],
    marker: string,
  ): Promise<readonly (readonly Piece[])[]> {
    const found: (readonly Piece[])[] = [];
    let isDone = false;
    const done = change.finally(() => {
      isDone = true;
    });
    const searching = readers.map(async (reader) => {
      while (!isDone) found.push(await this.#search(random, reader, marker));
    });
    await Promise.all([done, ...searching]);
    return found;
  }

  /** Every process finds one whole generation that is none of the old ones. Returns its stamp. */
  async #requireOne(random: Random, marker: string, pieces: number, old: ReadonlySet<string>): Promise<string> {
    const found = await this.#searchAll(random, marker);
    for (const each of found) {
      this.#require(each.length === pieces, `missing: ${each.length} of ${pieces} pieces of ${marker}`);
      this.#requireWhole(each, `after the change of ${marker}`);
      this.#require(!each.some(({ stamp }) => old.has(stamp)), `stale: ${marker} as it was before`);
    }
    const stamps = new Set(found.flat().map(({ stamp }) => stamp));
    this.#require(stamps.size === 1, `mixed: processes see ${stamps.size} generations of ${marker}`);
    return [...stamps][0] ?? "";
  }

  #searchAll(random: Random, marker: string): Promise<readonly (readonly Piece[])[]> {
    return Promise.all(this.#processes.map((process) => this.#search(random, process, marker)));
  }

  async #search(random: Random, process: ReaderProcess, marker: string): Promise<readonly Piece[]> {
    this.#searches++;
    const { texts } = await process.ask({ order: "search", marker, mode: random.pick(MODES) });
    return texts!.map(readPiece);
  }

  #requireWhole(pieces: readonly Piece[], when: string): void {
    for (const fault of faultsOf(pieces, true)) this.#faults.push(`${fault} ${when}`);
  }

  #require(holds: boolean, fault: string): void {
    if (!holds) this.#faults.push(fault);
  }

  #shuffled(random: Random): readonly ReaderProcess[] {
    const places = this.#processes.map((process) => ({ process, place: random.next() }));
    return places.sort((a, b) => a.place - b.place).map(({ process }) => process);
  }

  /** When the last change of a document was committed, in milliseconds since the epoch. */
  async #committedAt(document: string): Promise<number> {
    const [row] = await this.#options.server.query<{ at: number }>(
      "SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 * 1000 AS at FROM documents WHERE id = $1",
      [document],
    );
    return row!.at;
  }
}
