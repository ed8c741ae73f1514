import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { IngestEvent } from "../events/event-bus.js";
import { type DoneOptions, type EndedJob, IngestRun, requireCompleted } from "../events/ingest-run.js";
import type { FailedFile, FolderKey } from "../storage/records/synced-files.js";
import type { CallOptions, IngestJob } from "../types.js";
import { doneSchema } from "../validation/ingest-job-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { AppliedSync, SyncChanges } from "./apply-changes.js";
import { mergeStreams } from "./merge-streams.js";

/** The number of jobs whose events are followed at a time. */
const CONCURRENCY = 8;

/** The result of a sync. */
export interface SyncResult<M> extends SyncChanges {
  /** Files whose documents failed in this or an earlier sync. */
  readonly failed: readonly FailedFile[];
  /** The jobs of the sync. */
  readonly jobs: readonly IngestJob<M>[];
}

/**
 * A running sync. `for await (const event of run)` follows it until it ends; `await run.done()` waits for its end. The
 * `changes` are known from the start.
 */
export class SyncRun<M> implements AsyncIterable<IngestEvent> {
  readonly changes: SyncChanges;
  /** Ids of the jobs that ingest the folder's files: new jobs, and jobs with changed or pending documents. */
  readonly jobIds: readonly string[];
  readonly #engine: Engine;
  readonly #folder: FolderKey;
  readonly #runs: readonly IngestRun<M>[];

  /** @internal */
  constructor(
    { changes, jobs }: AppliedSync,
    folder: FolderKey,
    engine: Engine,
    getJob: (id: string, options: CallOptions) => Promise<IngestJob<M>>,
  ) {
    this.changes = changes;
    this.jobIds = jobs.map(({ id }) => id);
    this.#engine = engine;
    this.#folder = folder;
    this.#runs = jobs.map(
      ({ id, after }) => new IngestRun<M>(id, engine, { getJob: (call) => getJob(id, call), after }),
    );
  }

  /** Whether the sync found any change. */
  get hasChanges(): boolean {
    const { added, changed, renamed, retried, deleted } = this.changes;
    return [added, changed, renamed, retried, deleted].some(({ length }) => length > 0);
  }

  /**
   * Waits until the sync has ended, and returns its result.
   * @throws KnowledgeBaseError with `throwOnFailure`, `ingest_failed` if a document failed or a job was cancelled
   */
  async done(options: DoneOptions = {}): Promise<SyncResult<M>> {
    const { signal, ...input } = options;
    const { throwOnFailure } = parseInput(doneSchema, input);
    const jobs: IngestJob<M>[] = [];
    for (const run of this.#runs) {
      const job = await run.done({ signal }).catch(ignoreDeletedJob);
      if (job) jobs.push(job);
    }
    const failed = await this.#engine.storage.sync.listFailures(this.#folder);
    if (throwOnFailure) requireAllIngested(failed, jobs);
    return { ...this.changes, failed, jobs };
  }

  [Symbol.asyncIterator](): AsyncIterator<IngestEvent> {
    return this.events()[Symbol.asyncIterator]();
  }

  /** Yields the jobs' events since this sync until all jobs have ended. Events of one job are in order. */
  events({ signal }: CallOptions = {}): AsyncGenerator<IngestEvent> {
    return mergeStreams(
      this.#runs.map((run) => run.events({ signal })),
      CONCURRENCY,
    );
  }
}

function requireAllIngested(failed: readonly FailedFile[], jobs: readonly EndedJob[]): void {
  const [first] = failed;
  if (first) {
    const failures = failed.length === 1 ? "1 file in the folder" : `${failed.length} files in the folder`;
    const message = `${failures} failed to ingest. First failure: ${JSON.stringify(first.path)}: ${first.error}`;
    throw new KnowledgeBaseError("ingest_failed", message);
  }
  for (const job of jobs) requireCompleted(job);
}

/** Ignores a job that was deleted during the wait. Its files are new to the next sync. */
function ignoreDeletedJob(error: unknown): null {
  if (KnowledgeBaseError.is(error, "not_found")) return null;
  throw error;
}
