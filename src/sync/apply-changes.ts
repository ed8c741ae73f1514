import { basename } from "node:path";
import { newId } from "../domain/ids.js";
import { removeUpload } from "../engine/remove-upload.js";
import type { ChangedFile, FileState, RequeuedJob } from "../storage/records/synced-files.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { MAX_BATCH_ITEMS } from "../validation/schemas.js";
import type { Comparison, KnownFile } from "./diff.js";
import type { FoundFile, SkippedFile } from "./list-files.js";
import { storeFile } from "./read-file.js";
import { configOf, type SyncContext, type SyncPlan } from "./sync-plan.js";
import type { FileRecord } from "./synced-files.js";

/** Files copied at a time: each waits for the disk. */
const WIDTH = 8;

/** The changes that a sync found and queued. Paths are relative to the folder, with `/`, and sorted. */
export interface SyncChanges {
  readonly added: readonly string[];
  /** Files with new content, a new config, or a new way of parsing. */
  readonly changed: readonly string[];
  /** Files with the content of a deleted one. They keep its document. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Unchanged files whose documents had failed and are ingested again. */
  readonly retried: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: readonly string[];
  /** Files with documents that the patterns don't match. Their documents stay, unless `deleteExcluded` is set. */
  readonly excluded: readonly string[];
  /** Files that can't be ingested. Their documents, if any, stay. */
  readonly skipped: readonly SkippedFile[];
}

export interface Applied {
  readonly changes: SyncChanges;
  /** Those that have something to do for this folder. */
  readonly jobs: readonly RequeuedJob[];
}

/** A file whose bytes the engine has. */
interface StoredFile {
  readonly file: FoundFile;
  readonly stamp: string | null;
  readonly key: string;
  readonly sha256: string;
}

/**
 * Queues what a comparison has found, at most a thousand files in one step; each is whole by itself, and may be the
 * last.
 */
export function applyComparison(context: SyncContext, plan: SyncPlan, comparison: Comparison): Promise<Applied> {
  return new Application(context, plan, comparison).apply();
}

class Application {
  readonly #context: SyncContext;
  readonly #plan: SyncPlan;
  readonly #comparison: Comparison;
  readonly #jobs = new Map<string, RequeuedJob>();
  readonly #skipped: SkippedFile[];
  readonly #added: string[] = [];
  readonly #changed: string[] = [];
  #copied = 0;
  readonly #renamed: { readonly from: string; readonly to: string }[] = [];
  /** All of a job's are queued in one step: once it is queued, a worker may have it. */
  readonly #changes: ChangedFile[] = [];
  /** Records of vanished files whose documents may go on under another path, by content. */
  readonly #movable = new Map<string, FileRecord[]>();

  constructor(context: SyncContext, plan: SyncPlan, comparison: Comparison) {
    this.#context = context;
    this.#plan = plan;
    this.#comparison = comparison;
    this.#skipped = [...comparison.skipped];
    for (const record of comparison.vanished) {
      if (record.state === "gone") continue;
      this.#movable.set(record.sha256, [...(this.#movable.get(record.sha256) ?? []), record]);
    }
  }

  async apply(): Promise<Applied> {
    const { fresh, rewritten, reconfigured, failed, unchanged, touched, vanished } = this.#comparison;
    for (const { record } of unchanged) if (record.state === "pending") this.#follow({ id: record.jobId, after: 0 });
    for (const slice of slices(fresh)) await this.#add(await this.#store(slice));
    for (const slice of slices(rewritten)) await this.#rewrite(slice);
    const again = this.#context.retry ? failed : [];
    for (const { file, record } of [...reconfigured, ...again])
      this.#changes.push(this.#changedFile(record, { ...file, key: null }));
    await this.#changeAll();
    await this.#touch(touched);
    // Last: what has moved within the folder is found under its new place by now.
    const moved = new Set(this.#renamed.map(({ from }) => from));
    const gone = vanished.filter(({ path }) => !moved.has(path));
    for (const slice of slices(gone)) await this.#remove(slice);
    const paths = (files: readonly KnownFile[]) => files.map(({ file }) => file.path);
    return {
      jobs: [...this.#jobs.values()],
      changes: {
        added: this.#added,
        changed: [...this.#changed, ...paths(reconfigured)].sort(),
        renamed: this.#renamed,
        retried: paths(again).sort(),
        deleted: gone.filter(({ state }) => state !== "gone").map(({ path }) => path),
        unchanged: paths(this.#context.retry ? unchanged : [...unchanged, ...failed]).sort(),
        excluded: this.#comparison.excluded.map(({ path }) => path),
        skipped: this.#skipped.sort((a, b) => (a.path < b.path ? -1 : 1)),
      },
    };
  }

  /** Copies files; what can't be read is left out. */
  async #store(files: readonly FoundFile[]): Promise<readonly StoredFile[]> {
    const { engine, put, signal } = this.#context;
    const stored: Omit<StoredFile, "sha256">[] = [];
    const { fresh, rewritten } = this.#comparison;
    const progress = { namespaceId: this.#plan.folder.namespaceId, dir: this.#plan.root };
    const copies = await mapConcurrent(files, WIDTH, async (file) => {
      signal?.throwIfAborted();
      const copy = await storeFile(file, put);
      this.#copied++;
      const total = fresh.length + rewritten.length;
      engine.events.emit({ type: "sync.progress", ...progress, copied: this.#copied, total });
      return copy;
    });
    for (const [index, copy] of copies.entries()) {
      if ("reason" in copy) this.#skipped.push(copy);
      else stored.push({ file: files[index]!, ...copy });
    }
    if (stored.length === 0) return [];
    const rows = await engine.storage.uploads.hashes({ keys: stored.map(({ key }) => key) });
    const hashes = new Map(rows.map(({ key, sha256 }) => [key, sha256]));
    return stored.map((file) => ({ ...file, sha256: hashes.get(file.key)! }));
  }

  async #add(stored: readonly StoredFile[]): Promise<void> {
    const added: StoredFile[] = [];
    for (const copy of stored) {
      const record = this.#movable.get(copy.sha256)?.shift();
      if (!record) {
        added.push(copy);
        continue;
      }
      this.#changes.push(this.#changedFile(record, { ...copy.file, stamp: copy.stamp, key: null }));
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
      const own = Object.hasOwn(config.metadata ?? {}, "path");
      const place = own ? {} : { config: { metadata: { path: metadata!.path } } };
      return { type: "MANAGED_FILE", key, fileName: basename(path), ...place };
    });
    const keys = files.map(({ key }) => key);
    await this.#orDiscard(keys, () =>
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
        files: files.map(({ file, stamp, sha256 }) => this.#stateOf(file.path, stamp, sha256)),
      }),
    );
    engine.events.workAdded();
    this.#follow({ id, after: 0 });
    this.#added.push(...files.map(({ file }) => file.path));
  }

  async #rewrite(files: readonly KnownFile[]): Promise<void> {
    const records = new Map(files.map(({ file, record }) => [file.path, record]));
    for (const { file, stamp, key, sha256 } of await this.#store(files.map((known) => known.file))) {
      this.#changes.push({ ...this.#changedFile(records.get(file.path)!, { path: file.path, stamp, key }), sha256 });
      this.#changed.push(file.path);
    }
  }

  async #changeAll(): Promise<void> {
    const { engine, access } = this.#context;
    for (const files of byJob(this.#changes)) {
      const change = {
        folder: this.#plan.folder,
        files,
        organizationId: access.organizationId,
        capacity: engine.options.limits.activeJobs,
        now: engine.now(),
      };
      const keys = files.flatMap(({ key }) => key ?? []);
      const { jobs, freed } = await this.#orDiscard(keys, () => engine.storage.sync.change(change));
      engine.events.workAdded();
      for (const job of jobs) {
        this.#follow(job);
        engine.events.jobChanged(job.id);
      }
      for (const key of freed) await removeUpload(engine, key);
    }
  }

  async #touch(touched: readonly KnownFile[]): Promise<void> {
    const files = touched.map(({ file, record }) => this.#stateOf(file.path, file.stamp, record.sha256));
    if (files.length === 0) return;
    await this.#context.engine.storage.sync.touch({ folder: this.#plan.folder, files });
  }

  async #remove(records: readonly FileRecord[]): Promise<void> {
    const { engine, access } = this.#context;
    const emptied = await engine.storage.sync.remove({
      folder: this.#plan.folder,
      files: records,
      organizationId: access.organizationId,
      capacity: engine.options.limits.activeJobs,
      now: engine.now(),
    });
    engine.events.workAdded();
    for (const id of emptied) {
      this.#jobs.delete(id);
      engine.events.jobStopped(id);
    }
  }

  /** What nobody has come to use is not kept until it expires. */
  async #orDiscard<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
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

  /** Of the same content as its record. */
  #changedFile(
    from: FileRecord,
    { path, stamp, key }: Pick<FoundFile, "path" | "stamp"> & { readonly key: string | null },
  ): ChangedFile {
    const documentConfig = JSON.stringify(configOf(this.#plan.config, path));
    return { ...this.#stateOf(path, stamp, from.sha256), from, key, name: basename(path), documentConfig };
  }

  #stateOf(path: string, stamp: string | null, sha256: string): FileState {
    return {
      path,
      stamp,
      sha256,
      pipelineFingerprint: this.#plan.pipelineFingerprint,
      rootInode: this.#comparison.rootInode,
    };
  }

  /** From the earliest place that is known of it. */
  #follow(job: RequeuedJob): void {
    if (!this.#jobs.has(job.id)) this.#jobs.set(job.id, job);
  }
}

function slices<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / MAX_BATCH_ITEMS) }, (_, index) =>
    items.slice(index * MAX_BATCH_ITEMS, (index + 1) * MAX_BATCH_ITEMS),
  );
}

function byJob(changes: readonly ChangedFile[]): Iterable<readonly ChangedFile[]> {
  const jobs = new Map<string, ChangedFile[]>();
  for (const change of changes) {
    const known = jobs.get(change.from.jobId);
    if (known) known.push(change);
    else jobs.set(change.from.jobId, [change]);
  }
  return jobs.values();
}
