import type { CallOptions } from "../types.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import type { FolderListing, ListedFile, SkippedFile } from "./list-files.js";
import { hashFile } from "./read-file.js";
import type { FileRecord } from "./synced-files.js";

/** The number of files hashed at a time. */
const CONCURRENCY = 8;

/** A file that has a record. */
export interface KnownFile {
  readonly file: ListedFile;
  readonly record: FileRecord;
}

/** The differences between a folder and its records. */
export interface FolderComparison {
  /** See {@link FolderListing.rootInode}. */
  readonly rootInode: string | null;
  /** Files without a document. */
  readonly added: readonly ListedFile[];
  /** Files whose content has changed. */
  readonly rewritten: readonly KnownFile[];
  /** Files with the same content that were ingested with another config or pipeline version. */
  readonly reconfigured: readonly KnownFile[];
  /** Unchanged files whose documents have failed. */
  readonly failed: readonly KnownFile[];
  readonly unchanged: readonly KnownFile[];
  /** Files with the same content but a new fingerprint. */
  readonly touched: readonly KnownFile[];
  /** Records of deleted files and, with `deleteExcluded`, of files that no longer match the patterns. */
  readonly deleted: readonly FileRecord[];
  /** Records of files that don't match the patterns, which may belong to another sync. */
  readonly excluded: readonly FileRecord[];
  readonly skipped: readonly SkippedFile[];
  /** Ids of the jobs that must end before their documents can be changed. */
  readonly blockingJobIds: readonly string[];
}

/** Compares a folder with its records. Files whose fingerprint has changed are hashed. */
export async function compareFolder(
  listing: FolderListing,
  records: ReadonlyMap<string, FileRecord>,
  {
    pipelineFingerprint,
    deleteExcluded,
    ...options
  }: CallOptions & { readonly pipelineFingerprint: string; readonly deleteExcluded: boolean },
): Promise<FolderComparison> {
  const known: KnownFile[] = [];
  const added: ListedFile[] = [];
  for (const file of listing.files) {
    const record = records.get(file.path);
    if (record && record.state !== "gone") known.push({ file, record });
    else added.push(file);
  }
  const isUnmodified = ({ file, record }: KnownFile) =>
    file.fingerprint !== null && file.fingerprint === record.fingerprint;
  const skipped: SkippedFile[] = [];
  const touched: KnownFile[] = [];
  const rewritten: KnownFile[] = [];
  const sameContent: KnownFile[] = known.filter(isUnmodified);
  const uncertain = known.filter((file) => !isUnmodified(file));
  for (const [index, hashed] of (
    await mapConcurrent(uncertain, CONCURRENCY, ({ file }) => hashFile(file, options))
  ).entries()) {
    const { file, record } = uncertain[index]!;
    if ("reason" in hashed) skipped.push(hashed);
    else if (hashed.sha256 !== record.sha256) rewritten.push({ file, record });
    else {
      const rehashed = { file: { ...file, fingerprint: hashed.fingerprint }, record };
      sameContent.push(rehashed);
      if (hashed.fingerprint !== record.fingerprint) touched.push(rehashed);
    }
  }
  const listedPaths = new Set(listing.files.map(({ path }) => path));
  const missing = [...records.values()]
    .filter(({ path }) => !listedPaths.has(path) && !listing.mayExist(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const matching = await listing.filterMatching(deleteExcluded ? [] : missing.map(({ path }) => path));
  const deleted = missing.filter(({ path }) => deleteExcluded || matching.has(path));
  const reconfigured = sameContent.filter(({ record }) => record.pipelineFingerprint !== pipelineFingerprint);
  const current = sameContent.filter(({ record }) => record.pipelineFingerprint === pipelineFingerprint);
  const recordsToChange = [...rewritten, ...reconfigured].map(({ record }) => record).concat(deleted);
  return {
    rootInode: listing.rootInode,
    added,
    rewritten,
    reconfigured,
    failed: current.filter(({ record }) => record.state === "failed"),
    unchanged: current.filter(({ record }) => record.state !== "failed"),
    touched,
    deleted,
    excluded: deleteExcluded ? [] : missing.filter(({ path, state }) => state !== "gone" && !matching.has(path)),
    skipped: [...listing.skipped, ...skipped],
    blockingJobIds: [...new Set(recordsToChange.filter(({ state }) => state === "pending").map(({ jobId }) => jobId))],
  };
}
