import { basename } from "node:path";
import { newId } from "../domain/ids.js";
import { removeUpload } from "../engine/remove-upload.js";
import type { ChangedFile, FileState, RequeuedJob } from "../storage/records/synced-files.js";
import { chunkArray } from "../util/chunk-array.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { MAX_BATCH_ITEMS } from "../validation/ingest-job-schema.js";
import type { FolderComparison, KnownFile } from "./compare-folder.js";
import type { ListedFile, SkippedFile } from "./list-files.js";
import { copyFile } from "./read-file.js";
import { configOf, type SyncContext, type SyncPlan } from "./sync-plan.js";
import type { FileRecord } from "./synced-files.js";

/** The number of files copied at a time. Each waits for the disk. */
const CONCURRENCY = 8;

/** The changes that a sync found and queued. Paths are relative to the folder, with `/`, and sorted. */
export interface SyncChanges {
  readonly added: readonly string[];
  /** Files whose content, config or way of parsing has changed. */
  readonly changed: readonly string[];
  /** New files with the content of a deleted file, whose document they keep. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Unchanged files whose documents had failed and are ingested again. */
  readonly retried: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: readonly string[];
  /** Files that have documents but don't match the patterns. The documents stay, unless `deleteExcluded` is set. */
  readonly excluded: readonly string[];
  /** Files that can't be ingested. Any documents that they have stay. */
  readonly skipped: readonly SkippedFile[];
}

export interface AppliedSync {
  readonly changes: SyncChanges;
  /** The unfinished jobs that ingest documents of the folder, including those of earlier syncs. */
  readonly jobs: readonly RequeuedJob[];
}

/** A file copied into the engine's blob store. */
interface StoredFile {
  readonly file: ListedFile;
  readonly fingerprint: string | null;
  readonly key: string;
  readonly sha256: string;
}

/** Queues the changes in atomic steps of at most 1,000 files each. The sync may stop after any step. */
export function applyChanges(context: SyncContext, plan: SyncPlan, comparison: FolderComparison): Promise<AppliedSync> {
  return new ChangeApplier(context, plan, comparison).apply();
}

class ChangeApplier {
  readonly #context: SyncContext;
  readonly #plan: SyncPlan;
  readonly #comparison: FolderComparison;
  readonly #jobs = new Map<string, RequeuedJob>();
  readonly #skipped: SkippedFile[];
  readonly #added: string[] = [];
  readonly #changed: string[] = [];
  #copiedCount = 0;
  readonly #renamed: { readonly from: string; readonly to: string }[] = [];
  /** Collected so that all changes of a job are queued in one step, because a worker may claim the job right after. */
  readonly #changes: ChangedFile[] = [];
  /** The records of deleted files by content hash. A new file with the same content takes over the document. */
  readonly #movableRecords = new Map<string, FileRecord[]>();

  constructor(context: SyncContext, plan: SyncPlan, comparison: FolderComparison) {
    this.#context = context;
    this.#plan = plan;
    this.#comparison = comparison;
    this.#skipped = [...comparison.skipped];
    for (const record of comparison.deleted) {
      if (record.state === "gone") continue;
      this.#movableRecords.set(record.sha256, [...(this.#movableRecords.get(record.sha256) ?? []), record]);
    }
  }

  async apply(): Promise<AppliedSync> {
    const { added, rewritten, reconfigured, failed, unchanged, touched, deleted } = this.#comparison;
    for (const { record } of unchanged) if (record.state === "pending") this.#trackJob({ id: record.jobId, after: 0 });
    for (const batch of chunkArray(added, MAX_BATCH_ITEMS)) await this.#add(await this.#store(batch));
    for (const batch of chunkArray(rewritten, MAX_BATCH_ITEMS)) await this.#rewrite(batch);
    const retried = this.#context.retry ? failed : [];
    for (const { file, record } of [...reconfigured, ...retried])
      this.#changes.push(this.#toChange(record, { ...file, key: null }));
    await this.#queueChanges();
    await this.#touch(touched);
    // Files are removed last, so that a renamed file already has its new path.
    const renamed = new Set(this.#renamed.map(({ from }) => from));
    const removed = deleted.filter(({ path }) => !renamed.has(path));
    for (const batch of chunkArray(removed, MAX_BATCH_ITEMS)) await this.#remove(batch);
    const pathsOf = (files: readonly KnownFile[]) => files.map(({ file }) => file.path);
    return {
      jobs: [...this.#jobs.values()],
      changes: {
        added: this.#added,
        changed: [...this.#changed, ...pathsOf(reconfigured)].sort(),
        renamed: this.#renamed,
        retried: pathsOf(retried).sort(),
        deleted: removed.filter(({ state }) => state !== "gone").map(({ path }) => path),
        unchanged: pathsOf(this.#context.retry ? unchanged : [...unchanged, ...failed]).sort(),
        excluded: this.#comparison.excluded.map(({ path }) => path),
        skipped: this.#skipped.sort((a, b) => (a.path < b.path ? -1 : 1)),
      },
    };
  }

  /** Copies files into the blob store. Files that can't be copied are added to the skipped files. */
  async #store(files: readonly ListedFile[]): Promise<readonly StoredFile[]> {
    const { engine, put, signal } = this.#context;
    const stored: Omit<StoredFile, "sha256">[] = [];
    const { added, rewritten } = this.#comparison;
    const progress = { namespaceId: this.#plan.folder.namespaceId, dir: this.#plan.root };
    const copies = await mapConcurrent(files, CONCURRENCY, async (file) => {
      signal?.throwIfAborted();
      const copy = await copyFile(file, put);
      this.#copiedCount++;
      const total = added.length + rewritten.length;
      engine.events.emit({ type: "sync.progress", ...progress, copied: this.#copiedCount, total });
      return copy;
    });
    for (const [index, copy] of copies.entries()) {
      if ("reason" in copy) this.#skipped.push(copy);
      else stored.push({ file: files[index]!, ...copy });
    }
    if (stored.length === 0) return [];
    const rows = await engine.storage.uploads.listHashes({ keys: stored.map(({ key }) => key) });
    const hashes = new Map(rows.map(({ key, sha256 }) => [key, sha256]));
    return stored.map((file) => ({ ...file, sha256: hashes.get(file.key)! }));
  }

  async #add(stored: readonly StoredFile[]): Promise<void> {
    const added: StoredFile[] = [];
    for (const copy of stored) {
      const record = this.#movableRecords.get(copy.sha256)?.shift();
      if (!record) {
        added.push(copy);
        continue;
      }
      this.#changes.push(this.#toChange(record, { ...copy.file, fingerprint: copy.fingerprint, key: null }));
      this.#renamed.push({ from: record.path, to: copy.file.path });
      await this.#discard([copy.key]);
    }
    if (added.length > 0) await this.#create(added);
  }

  async #create(files: readonly StoredFile[]): Promise<void> {
    const { engine, access } = this.#context;
    const { root, folder, config } = this.#plan;
    const { organizationId, namespaceId, tenantId } = access;
    const id = newId("job");
    const items = files.map(({ file: { path }, key }) => {
      const { metadata } = configOf({ metadata: config.metadata ?? {} }, path);
      const hasPath = Object.hasOwn(config.metadata ?? {}, "path");
      const pathConfig = hasPath ? {} : { config: { metadata: { path: metadata!.path } } };
      return { type: "MANAGED_FILE", key, fileName: basename(path), ...pathConfig };
    });
    const keys = files.map(({ key }) => key);
    await this.#discardOnError(keys, () =>
      engine.storage.sync.add({
        folder,
        job: {
          id,
          organizationId,
          namespaceId,
          tenantId,
          externalId: null,
          name: basename(root) || null,
          payload: JSON.stringify({ type: "BATCH", items }),
          sealed: [],
          config: JSON.stringify(config),
          uploadKeys: keys,
          capacity: engine.options.limits.activeJobs,
          now: engine.now(),
        },
        files: files.map(({ file, fingerprint, sha256 }) => this.#stateOf(file.path, fingerprint, sha256)),
      }),
    );
    engine.events.emitWorkAdded();
    this.#trackJob({ id, after: 0 });
    this.#added.push(...files.map(({ file }) => file.path));
  }

  async #rewrite(files: readonly KnownFile[]): Promise<void> {
    const records = new Map(files.map(({ file, record }) => [file.path, record]));
    for (const { file, fingerprint, key, sha256 } of await this.#store(files.map((known) => known.file))) {
      this.#changes.push({
        ...this.#toChange(records.get(file.path)!, { path: file.path, fingerprint, key }),
        sha256,
      });
      this.#changed.push(file.path);
    }
  }

  async #queueChanges(): Promise<void> {
    const { engine, access } = this.#context;
    for (const files of groupByJob(this.#changes)) {
      const change = {
        folder: this.#plan.folder,
        files,
        organizationId: access.organizationId,
        capacity: engine.options.limits.activeJobs,
        now: engine.now(),
      };
      const keys = files.flatMap(({ key }) => key ?? []);
      const { jobs, freedUploadKeys } = await this.#discardOnError(keys, () => engine.storage.sync.change(change));
      engine.events.emitWorkAdded();
      for (const job of jobs) {
        this.#trackJob(job);
        engine.events.emitJobChanged(job.id);
      }
      for (const key of freedUploadKeys) await removeUpload(engine, key);
    }
  }

  async #touch(touched: readonly KnownFile[]): Promise<void> {
    const files = touched.map(({ file, record }) => this.#stateOf(file.path, file.fingerprint, record.sha256));
    if (files.length === 0) return;
    await this.#context.engine.storage.sync.touch({ folder: this.#plan.folder, files });
  }

  async #remove(records: readonly FileRecord[]): Promise<void> {
    const { engine, access } = this.#context;
    const emptiedJobIds = await engine.storage.sync.remove({
      folder: this.#plan.folder,
      files: records,
      organizationId: access.organizationId,
      capacity: engine.options.limits.activeJobs,
      now: engine.now(),
    });
    engine.events.emitWorkAdded();
    for (const id of emptiedJobIds) {
      this.#jobs.delete(id);
      engine.events.emitJobStopped(id);
    }
  }

  /** Does the work. If it fails, removes the uploads at once instead of when they expire. */
  async #discardOnError<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await this.#discard(keys);
      throw error;
    }
  }

  async #discard(keys: readonly string[]): Promise<void> {
    const { engine } = this.#context;
    for (const key of keys) if (await engine.storage.uploads.retire({ key })) await removeUpload(engine, key);
  }

  /** Returns the change of a file whose content is still that of its record. */
  #toChange(
    previous: FileRecord,
    { path, fingerprint, key }: Pick<ListedFile, "path" | "fingerprint"> & { readonly key: string | null },
  ): ChangedFile {
    const documentConfig = JSON.stringify(configOf(this.#plan.config, path));
    return {
      ...this.#stateOf(path, fingerprint, previous.sha256),
      previous,
      key,
      name: basename(path),
      documentConfig,
    };
  }

  #stateOf(path: string, fingerprint: string | null, sha256: string): FileState {
    return {
      path,
      fingerprint,
      sha256,
      pipelineFingerprint: this.#plan.pipelineFingerprint,
      rootInode: this.#comparison.rootInode,
    };
  }

  /** Records a job to follow. For a job that is recorded already, keeps the earlier event position. */
  #trackJob(job: RequeuedJob): void {
    if (!this.#jobs.has(job.id)) this.#jobs.set(job.id, job);
  }
}

function groupByJob(changes: readonly ChangedFile[]): Iterable<readonly ChangedFile[]> {
  const changesByJob = new Map<string, ChangedFile[]>();
  for (const change of changes) {
    const changesOfJob = changesByJob.get(change.previous.jobId);
    if (changesOfJob) changesOfJob.push(change);
    else changesByJob.set(change.previous.jobId, [change]);
  }
  return changesByJob.values();
}
