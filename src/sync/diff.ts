import type { CallOptions } from "../types.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import type { FoundFile, Look, SkippedFile } from "./list-files.js";
import { hashFile } from "./read-file.js";
import type { FileRecord } from "./synced-files.js";

/** Files read at a time. */
const WIDTH = 8;

/** A file and what was known of it. */
export interface KnownFile {
  readonly file: FoundFile;
  readonly record: FileRecord;
}

/** What a folder's files have become since they were last looked at. */
export interface Comparison {
  /** As in {@link Look}. */
  readonly rootInode: string | null;
  /** Without a document. */
  readonly fresh: readonly FoundFile[];
  /** Of other content than their documents. */
  readonly rewritten: readonly KnownFile[];
  /** Of the same content, but made with another config or by other rules. */
  readonly reconfigured: readonly KnownFile[];
  /** As they were, but their documents have failed. */
  readonly failed: readonly KnownFile[];
  readonly unchanged: readonly KnownFile[];
  /** Of the unchanged, those whose stamps are others now. */
  readonly touched: readonly KnownFile[];
  /** Gone, or no longer named by the patterns where that counts as gone. */
  readonly vanished: readonly FileRecord[];
  /** Known, but named by none of the patterns: another sync's. */
  readonly excluded: readonly FileRecord[];
  readonly skipped: readonly SkippedFile[];
  /** Jobs that have to end before something can be done with their documents. */
  readonly awaited: readonly string[];
}

/** Compares a folder with its records; files whose stamp doesn't tell that they are the same are read. */
export async function compare(
  look: Look,
  records: ReadonlyMap<string, FileRecord>,
  {
    pipelineFingerprint,
    deleteExcluded,
    ...options
  }: CallOptions & { readonly pipelineFingerprint: string; readonly deleteExcluded: boolean },
): Promise<Comparison> {
  const known: KnownFile[] = [];
  const fresh: FoundFile[] = [];
  for (const file of look.files) {
    const record = records.get(file.path);
    if (record && record.state !== "gone") known.push({ file, record });
    else fresh.push(file);
  }
  const isSame = ({ file, record }: KnownFile) => file.stamp !== null && file.stamp === record.stamp;
  const skipped: SkippedFile[] = [];
  const touched: KnownFile[] = [];
  const rewritten: KnownFile[] = [];
  const same: KnownFile[] = known.filter(isSame);
  const unclear = known.filter((file) => !isSame(file));
  for (const [index, read] of (await mapConcurrent(unclear, WIDTH, ({ file }) => hashFile(file, options))).entries()) {
    const { file, record } = unclear[index]!;
    if ("reason" in read) skipped.push(read);
    else if (read.sha256 !== record.sha256) rewritten.push({ file, record });
    else {
      const unclouded = { file: { ...file, stamp: read.stamp }, record };
      same.push(unclouded);
      if (read.stamp !== record.stamp) touched.push(unclouded);
    }
  }
  const present = new Set(look.files.map(({ path }) => path));
  const missing = [...records.values()]
    .filter(({ path }) => !present.has(path) && !look.isUnknown(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const named = await look.named(deleteExcluded ? [] : missing.map(({ path }) => path));
  const vanished = missing.filter(({ path }) => deleteExcluded || named.has(path));
  const reconfigured = same.filter(({ record }) => record.pipelineFingerprint !== pipelineFingerprint);
  const agreeing = same.filter(({ record }) => record.pipelineFingerprint === pipelineFingerprint);
  const moving = [...rewritten, ...reconfigured].map(({ record }) => record).concat(vanished);
  return {
    rootInode: look.rootInode,
    fresh,
    rewritten,
    reconfigured,
    failed: agreeing.filter(({ record }) => record.state === "failed"),
    unchanged: agreeing.filter(({ record }) => record.state !== "failed"),
    touched,
    vanished,
    excluded: deleteExcluded ? [] : missing.filter(({ path, state }) => state !== "gone" && !named.has(path)),
    skipped: [...look.skipped, ...skipped],
    awaited: [...new Set(moving.filter(({ state }) => state === "pending").map(({ jobId }) => jobId))],
  };
}
