import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { IngestEvent } from "../events/event-bus.js";
import { type DoneOptions, IngestRun } from "../events/ingest-run.js";
import { type EndedJob, requireCompleted } from "../events/require-completed.js";
import type { FolderKey } from "../storage/records/synced-files.js";
import type { CallOptions, IngestJob } from "../types.js";
import { doneSchema, parseInput } from "../validation/schemas.js";
import type { Applied, SyncChanges } from "./apply-changes.js";
import { mergeStreams } from "./merge-streams.js";
import { failuresOf } from "./synced-files.js";

/** Jobs whose events are followed at a time. */
const WIDTH = 8;

/** A file whose document could not be ingested; what its document had before stays searchable. The next sync tries it again. */
export interface FailedFile {
  readonly path: string;
  readonly documentId: string;
  readonly error: string;
}

/** A sync that has ended. */
export interface SyncResult<M> extends SyncChanges {
  /** Files of the folder whose documents have failed, in this sync or before. */
  readonly failed: readonly FailedFile[];
  /** The jobs that had something to do for the folder. */
  readonly jobs: readonly IngestJob<M>[];
}

/**
 * A live view of what a sync has queued. `for await (const event of run)` follows it to its end; `await run.done()` waits for that. What
 * was found in the folder is known from the start.
 */
export class SyncRun<M> implements AsyncIterable<IngestEvent> {
  readonly changes: SyncChanges;
  /** Ids of the jobs that have something to do for the folder: new ones, and those whose documents are ingested again. */
  readonly jobIds: readonly string[];
  readonly #engine: Engine;
  readonly #folder: FolderKey;
  readonly #runs: readonly IngestRun<M>[];

  /** @internal */
  constructor(
    { changes, jobs }: Applied,
    folder: FolderKey,
    engine: Engine,
    job: (id: string, options: CallOptions) => Promise<IngestJob<M>>,
  ) {
    this.changes = changes;
    this.jobIds = jobs.map(({ id }) => id);
    this.#engine = engine;
    this.#folder = folder;
    this.#runs = jobs.map(({ id, after }) => new IngestRun<M>(id, engine, { job: (call) => job(id, call), after }));
  }

  /** Whether anything in the folder was other than before. */
  get isChanged(): boolean {
    const { added, changed, renamed, retried, deleted } = this.changes;
    return [added, changed, renamed, retried, deleted].some(({ length }) => length > 0);
  }

  /**
   * The result of the sync, when all of its work has ended.
   * @throws KnowledgeBaseError with `throwOnFailure`, `ingest_failed` where a file has a failed document or a job was cancelled
   */
  async done(options: DoneOptions = {}): Promise<SyncResult<M>> {
    const { signal, ...input } = options;
    const { throwOnFailure } = parseInput(doneSchema, input);
    const jobs: IngestJob<M>[] = [];
    for (const run of this.#runs) {
      const job = await run.done({ signal }).catch(unlessGone);
      if (job) jobs.push(job);
    }
    const failed = await failuresOf(this.#engine, this.#folder);
    if (throwOnFailure) requireAll(failed, jobs);
    return { ...this.changes, failed, jobs };
  }

  [Symbol.asyncIterator](): AsyncIterator<IngestEvent> {
    return this.events()[Symbol.asyncIterator]();
  }

  /** The events of its jobs from this sync on, until all have ended. Those of one job come in order. */
  events({ signal }: CallOptions = {}): AsyncGenerator<IngestEvent> {
    return mergeStreams(
      this.#runs.map((run) => run.events({ signal })),
      WIDTH,
    );
  }
}

function requireAll(failed: readonly FailedFile[], jobs: readonly EndedJob[]): void {
  const [first] = failed;
  if (first) {
    const count = failed.length === 1 ? "1 file" : `${failed.length} files`;
    const message = `${count} of the folder could not be ingested; the first, ${JSON.stringify(first.path)}: ${first.error}`;
    throw new KnowledgeBaseError("ingest_failed", message);
  }
  for (const job of jobs) requireCompleted(job);
}

/** A job may have been deleted while it was waited for; its files are then new to the next sync. */
function unlessGone(error: unknown): null {
  if (KnowledgeBaseError.is(error, "not_found")) return null;
  throw error;
}
