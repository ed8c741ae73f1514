import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KnowledgeBaseError } from "../../../errors.js";
import { fileBytes, folderBytes } from "../../../util/folder-bytes.js";
import type { CompactedPlace, Compaction, CompactProgress, StorageCompactOptions } from "../../compaction.js";
import type { DatabaseThread } from "../database-thread.js";
import { MAX_LOG_BYTES } from "../log-limit.js";
import type { INDEX_PROCEDURES } from "../search-index/procedures.js";
import type { FreePages } from "./database-file.js";

/** A step moves at most so many pages, 2 MB, from the end of the file to free pages: some milliseconds. */
const PAGES_PER_STEP = 512;
/** How often the log is tried to be truncated at the end, since searches read it, and after which pause. */
const MAX_TRUNCATIONS = 10;
const TRUNCATION_PAUSE_MS = 50;
const MEGABYTE = 1e6;

interface CompactedThreads {
  /** The path of the database's file. */
  readonly path: string;
  readonly writer: DatabaseThread;
  readonly reader: DatabaseThread;
}

type Verb = keyof typeof INDEX_PROCEDURES;
type Steps<Result> = AsyncGenerator<CompactProgress, Result>;

/**
 * Compacts a database and its vector files by transactions of some milliseconds in the writer, between which other
 * writes run. Readers keep their snapshots.
 */
export async function* compactSqlite(
  threads: CompactedThreads,
  { rewrite, signal }: StorageCompactOptions,
): Compaction {
  const { path } = threads;
  const before = await measure(path);
  const compaction = new SqliteCompaction(threads, signal);
  const remaining = yield* compaction.run(rewrite);
  const after = await measure(path);
  const places = before.map(({ place, bytes }, index): CompactedPlace => {
    return { place, bytesBefore: bytes, bytesAfter: after[index]!.bytes };
  });
  return { places, remaining };
}

async function measure(path: string) {
  return [
    { place: "database", bytes: await fileBytes(path) },
    { place: "log", bytes: await fileBytes(`${path}-wal`) },
    { place: "vectors", bytes: await folderBytes(join(dirname(path), "scan")) },
  ] as const;
}

class SqliteCompaction {
  readonly #path: string;
  readonly #writer: DatabaseThread;
  readonly #reader: DatabaseThread;
  readonly #signal: AbortSignal | undefined;
  /** Whether steps were left out because of the size of the log. */
  #wasLogTooLarge = false;

  constructor({ path, writer, reader }: CompactedThreads, signal: AbortSignal | undefined) {
    this.#path = path;
    this.#writer = writer;
    this.#reader = reader;
    this.#signal = signal;
  }

  async *run(rewrite: boolean): Steps<readonly string[]> {
    if (rewrite) {
      yield { phase: "database", done: 0, total: null };
      await this.#writer.request({ kind: "rewrite" }, { signal: this.#signal });
    }
    // First, since on a full disk there is no space for anything else.
    yield* this.#shrink();
    await this.#truncateLog(1);
    const isFull = yield* this.#compactIndexes();
    yield* this.#shrink();
    const isTruncated = await this.#truncateLog(MAX_TRUNCATIONS);
    const free = await this.#read<FreePages>("freePages");
    return [
      ...(isFull ? [DISK_IS_FULL] : []),
      ...(!free.canShrink && free.pages > 0 ? [describeOldFile(free)] : []),
      ...(isTruncated && !this.#wasLogTooLarge ? [] : [LOG_IS_READ]),
    ];
  }

  /** Takes the free pages off the file, unless a long read lets the log grow too large. */
  async *#shrink(): Steps<void> {
    const { pages: total, canShrink } = await this.#read<FreePages>("freePages");
    // What other writes free meanwhile is left to the next compaction, so that this one ends.
    for (let done = 0; canShrink && done < total; ) {
      const { pages } = await this.#paced(() => this.#write<FreePages>("shrinkDatabase", { pages: PAGES_PER_STEP }));
      done = pages === 0 ? total : done + PAGES_PER_STEP;
      yield { phase: "database", done: Math.min(done, total), total };
      if (await this.#isLogTooLarge()) return;
    }
  }

  /** Returns whether it ended because the disk is full. */
  async *#compactIndexes(): Steps<boolean> {
    try {
      yield* this.#mergeKeywords();
      yield* this.#replaceVectorFiles();
      return false;
    } catch (error) {
      if (KnowledgeBaseError.is(error, "storage_full")) return true;
      throw error;
    }
  }

  async *#mergeKeywords(): Steps<void> {
    const scopes = await this.#read<readonly number[]>("keywordScopes");
    for (const [index, scopeId] of scopes.entries()) {
      let isFirst = true;
      while (await this.#paced(() => this.#write("mergeKeywords", { scopeId, isFirst }))) {
        isFirst = false;
        yield { phase: "keywords", done: index, total: scopes.length };
        if (await this.#isLogTooLarge()) return;
      }
      yield { phase: "keywords", done: index + 1, total: scopes.length };
    }
  }

  async *#replaceVectorFiles(): Steps<void> {
    let done = 0;
    while (await this.#paced(() => this.#write("dropSparseFile", {}))) {
      yield { phase: "vectors", done: ++done, total: null };
      if (await this.#isLogTooLarge()) return;
    }
    // Also deletes files that are no longer listed.
    while (await this.#paced(() => this.#write("maintain", { shouldReconcile: true }))) {
      yield { phase: "vectors", done: ++done, total: null };
      if (await this.#isLogTooLarge()) return;
    }
  }

  /** Returns whether the log has become so large that no step may add to it, while a long read keeps it from being written. */
  async #isLogTooLarge(): Promise<boolean> {
    if ((await fileBytes(`${this.#path}-wal`)) <= MAX_LOG_BYTES || (await this.#truncateLog(1))) return false;
    this.#wasLogTooLarge = true;
    return true;
  }

  /** Writes the log to the database, which then becomes smaller. Returns false if a read needed it at each attempt. */
  async #truncateLog(attempts: number): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      if (await this.#writer.request<boolean>({ kind: "truncateLog" }, { signal: this.#signal })) return true;
      if (attempt === attempts) return false;
      await sleep(TRUNCATION_PAUSE_MS, null, { signal: this.#signal });
    }
  }

  /** Pauses for as long as a step took, since SQLite doesn't queue the writes of other processes. */
  async #paced<Result>(step: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = await step();
    await sleep(performance.now() - startedAt, null, { signal: this.#signal });
    return result;
  }

  #write<Result>(verb: Verb, argument: unknown): Promise<Result> {
    return this.#writer.request<Result>(
      { kind: "procedure", name: `index.${verb}`, argument },
      { signal: this.#signal },
    );
  }

  /** Reads, which a full disk doesn't refuse. */
  #read<Result>(verb: Verb): Promise<Result> {
    return this.#reader.request<Result>(
      { kind: "procedure", name: `index.${verb}`, argument: {} },
      { signal: this.#signal },
    );
  }
}

const DISK_IS_FULL = "The disk is full, so indexes were not compacted. Compact again once it has space.";

const LOG_IS_READ =
  "A long read, such as a backup or an export, still needs the write-ahead log, so not all space came back. " +
  "Compact again once it has ended.";

function describeOldFile({ pages, bytes }: FreePages): string {
  const megabytes = ((pages * bytes) / MEGABYTE).toFixed(1);
  return (
    `The database file has ${megabytes} MB of free pages, which new documents use. It can't become smaller in steps, ` +
    "because an earlier version created it. Compact it once with rewrite: true (lorebase compact --rewrite): searches " +
    "go on, writes wait until the whole file is written anew, and that needs the size of its content as free space in " +
    "the directory and in that for temporary files."
  );
}
