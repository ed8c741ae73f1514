import type { z } from "zod";
import { mergeConfig } from "../domain/merge-config.js";
import type { Engine } from "../engine/engine.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { KnowledgeBaseError } from "../errors.js";
import { type IngestOutcome, IngestRun } from "../events/ingest-run.js";
import { PendingRun } from "../events/pending-run.js";
import type { VideoSource } from "../interfaces/video-source.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { type Access, ownerOf } from "../storage/records/access.js";
import { notFound } from "../storage/records/not-found.js";
import type {
  CallOptions,
  ChunkingConfig,
  IngestConfig,
  IngestJob,
  IngestPayload,
  ListPage,
  Status,
} from "../types.js";
import { preview } from "../util/preview.js";
import { ingestConfigSchema, reingestSchema } from "../validation/ingest-config-schema.js";
import { submitJobSchema } from "../validation/ingest-job-schema.js";
import { listJobsSchema } from "../validation/list-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { confirmUploads } from "./confirm-uploads.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { toIngestJob, toNewIngestJob } from "./records.js";
import { sealPayload } from "./sealed-payload.js";
import { findJobId, submitJob } from "./submit-job.js";

/** A job to create. */
export interface CreateIngestJobInput<M> {
  readonly payload: IngestPayload<M>;
  /** Shown in lists. */
  readonly name?: string | null | undefined;
  /** Your own id for the job, unique in the namespace and tenant. */
  readonly externalId?: string | null | undefined;
  readonly config?: IngestConfig<M> | undefined;
  /**
   * What to do if the namespace and tenant already have a job with the external id:
   * - `fail`: throw `conflict`.
   * - `skip`: return the existing job unchanged.
   * - `replace`: give the existing job this payload, name and config, and ingest it again. The job keeps its id, and
   *   the document at each position of the payload keeps its id too. Old chunks stay searchable until the new ones are
   *   complete. Documents of positions that no longer exist are deleted. If the job is unfinished, waits for its end,
   *   or throws `conflict` if this process has no worker. Not available for `CRAWL` and `YOUTUBE`; use `reingest`.
   * @default "fail"
   */
  readonly onConflict?: "fail" | "skip" | "replace" | undefined;
  /**
   * Skips each text, upload and local file that has the same bytes (SHA-256), file extension and config as a document
   * of the namespace and tenant; {@link IngestRun.duplicates} lists the skipped items. Documents of downloaded files,
   * pages, videos and synced folders are not compared, because they are removed when their source is.
   * @default false
   */
  readonly dedupe?: boolean | undefined;
}

interface StartOptions extends CallOptions {
  /** The path of the local file that each item was read from; `null` for other items. */
  readonly sourcePaths?: readonly (string | null)[] | undefined;
}

/** Options of ingesting a job again. */
export interface ReingestOptions extends CallOptions {
  /**
   * How the documents of the job are chunked from now on: each document changes at once, when its new chunks are
   * complete. Replaces all four options, also where a batch item has its own.
   * @default as before
   */
  readonly chunking?: ChunkingConfig | undefined;
}

/** Options for listing jobs. */
export interface ListIngestJobsOptions extends ListOptions {
  /** Lists only jobs with one of these statuses. @default all */
  readonly statuses?: readonly Status[] | undefined;
}

type Payload = z.output<typeof submitJobSchema>["payload"];

interface RunOptions {
  readonly outcome?: IngestOutcome;
  readonly after?: number;
}

interface SubmittedJob<M> extends Required<RunOptions> {
  readonly engine: Engine;
  readonly id: string;
  /** `null` if the job already existed. */
  readonly job: IngestJob<M> | null;
}

/** The ingest jobs of one organization's namespaces. */
export class IngestJobs<M> {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Stores and queues a job. Returns before the job runs.
   * @throws KnowledgeBaseError `invalid_input`, `conflict` if the external id is taken
   */
  async create(namespace: string, input: CreateIngestJobInput<M>, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { job, id } = await this.#submit(namespace, input, options);
    return job ?? this.get(namespace, id, options);
  }

  /** Creates a job like {@link create}, but returns a run that follows the job. */
  async start(namespace: string, input: CreateIngestJobInput<M>, options: StartOptions = {}): Promise<IngestRun<M>> {
    const { engine, id, outcome, after } = await this.#submit(namespace, input, options);
    return this.#createRun(engine, namespace, id, { outcome, after });
  }

  /**
   * If `onConflict` is `skip`, follows the job that already has the external id. Returns `null` in any other case.
   * Called before files are stored, so that none are stored needlessly.
   */
  async followExisting(
    namespace: string,
    { externalId, onConflict, signal }: Pick<CreateIngestJobInput<M>, "externalId" | "onConflict"> & CallOptions,
  ): Promise<IngestRun<M> | null> {
    if (onConflict !== "skip" || typeof externalId !== "string") return null;
    const { engine, access } = await this.#resolve(namespace, signal);
    const id = await findJobId(engine, access, externalId);
    return id === null ? null : this.#createRun(engine, namespace, id, { outcome: "skipped" });
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { job } = await this.#find(namespace, jobId, options);
    return job;
  }

  async list(namespace: string, options: ListIngestJobsOptions = {}): Promise<ListPage<IngestJob<M>>> {
    const { signal, ...input } = options;
    const { statuses, ...request } = parseInput(listJobsSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal);
    const { jobs } = engine.storage;
    const query = { ...ownerOf(access), statuses };
    return fetchPage(
      `ingest-jobs of ${access.namespaceId}`,
      request,
      (range) => jobs.list({ ...query, range }),
      (row) => toIngestJob<M>(row),
      (range) => jobs.listSizes({ ...query, range }),
    );
  }

  /** Iterates over all jobs, fetching one page at a time. */
  iterate(namespace: string, options: IterateOptions<ListIngestJobsOptions> = {}): AsyncIterable<IngestJob<M>> {
    return iteratePages((cursor) => this.list(namespace, { ...options, cursor }));
  }

  /** Follows a job, even if another process started it or this process has been restarted since. */
  async watch(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestRun<M>> {
    const { engine } = await this.#find(namespace, jobId, options);
    return this.#createRun(engine, namespace, jobId);
  }

  /**
   * Queues a finished job again. Ids stay the same, and old chunks stay searchable until the new ones are complete. The
   * run yields the events from then on.
   * @throws KnowledgeBaseError `not_found`, `invalid_input`, or `conflict` while the job is unfinished or being deleted
   */
  reingest(namespace: string, jobId: string, options: ReingestOptions = {}): PendingRun<IngestRun<M>> {
    return PendingRun.of(async () => {
      const { signal, ...input } = options;
      const { chunking = null } = parseInput(reingestSchema, input);
      const { engine, access } = await this.#find(namespace, jobId, { signal });
      const { organizationId } = access;
      const after = await engine.storage.jobs.reingest({ jobId, organizationId, chunking, now: engine.now() });
      engine.events.emitWorkAdded();
      engine.events.emitJobChanged(jobId);
      return this.#createRun(engine, namespace, jobId, { after });
    });
  }

  /**
   * Stops a job. Completed documents stay; all others become `CANCELLED`.
   * @throws KnowledgeBaseError `not_found`, or `conflict` if the job has completed or failed
   */
  async cancel(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { engine, access } = await this.#find(namespace, jobId, options);
    await engine.storage.jobs.cancel({ jobId, ...queueContext(engine, access) });
    engine.events.emitWorkAdded();
    engine.events.emitJobStopped(jobId);
    return this.#get(engine, access, jobId);
  }

  /**
   * Queues the deletion of a job and its documents. Searches stop finding the documents at once; the job can be read
   * until it has been deleted.
   * @throws KnowledgeBaseError `not_found`
   */
  async delete(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { engine, access, job } = await this.#find(namespace, jobId, options);
    await engine.storage.jobs.delete({ jobId, ...queueContext(engine, access) });
    engine.events.emitWorkAdded();
    engine.events.emitJobStopped(jobId);
    // A fast worker may have removed the job already.
    return this.#get(engine, access, jobId).catch(() => ({ ...job, status: "QUEUED_FOR_DELETE" as const }));
  }

  /** Submits a job. A new job is returned without being read back, because its payload may be large. */
  async #submit(namespace: string, input: CreateIngestJobInput<M>, options: StartOptions): Promise<SubmittedJob<M>> {
    const { payload, name, externalId, onConflict, dedupe, config = {} } = parseInput(submitJobSchema, input);
    const { signal, sourcePaths } = options;
    checkItemConfigs(payload, config as IngestConfig);
    const { engine, access } = await this.#resolve(namespace, signal);
    checkVideoUrls(payload, engine.videos);
    const keys = listUploadKeys(payload);
    await confirmUploads(engine, access, keys, { signal });
    const { organizationId, namespaceId, tenantId } = access;
    const request = {
      externalId,
      onConflict,
      createRecord: (id: string) => {
        const { masked, sealed } = sealPayload(payload, engine.secrets, { organizationId, namespaceId, ownerId: id });
        return {
          id,
          ...queueContext(engine, access),
          namespaceId,
          tenantId,
          externalId,
          name,
          payload: JSON.stringify(masked),
          sealed: sealed.map((value) => ({ namespaceId, ownerId: id, ...value })),
          config: JSON.stringify(config),
          sourcePaths: sourcePaths?.some((path) => path !== null) ? sourcePaths : undefined,
          dedupe,
          uploadKeys: keys,
          masked,
        };
      },
    };
    const { id, outcome, after, created } = await submitJob(engine, access, request, { signal });
    if (!created) return { engine, id, outcome, after, job: null };
    const { masked, status, createdAt, now } = created;
    const row = { id, namespaceId, tenantId, externalId, name, status, createdAt, now };
    return { engine, id, outcome, after, job: toNewIngestJob<M>(row, masked, config as IngestConfig<M>) };
  }

  #createRun(engine: Engine, namespace: string, jobId: string, { outcome, after = 0 }: RunOptions = {}): IngestRun<M> {
    const getJob = (call: CallOptions) => this.get(namespace, jobId, call);
    return new IngestRun<M>(jobId, engine, { getJob, after, ...(outcome && { outcome }) });
  }

  async #find(namespace: string, jobId: string, { signal }: CallOptions) {
    const { engine, access } = await this.#resolve(namespace);
    const job = await this.#get(engine, access, jobId);
    signal?.throwIfAborted();
    return { engine, access, job };
  }

  async #get(engine: Engine, access: Access, jobId: string): Promise<IngestJob<M>> {
    const row = await engine.storage.jobs.get({ ...ownerOf(access), jobId });
    if (!row) throw notFound("ingest job", jobId);
    return toIngestJob(row);
  }
}

function queueContext(engine: Engine, { organizationId }: Access) {
  return { organizationId, capacity: engine.options.limits.activeJobs, now: engine.now() };
}

/** Checks that each item's config is still valid when it is merged with the job's config. */
function checkItemConfigs(payload: Payload, config: IngestConfig): void {
  if (payload.type !== "BATCH") return;
  for (const [index, item] of payload.items.entries()) {
    const itemConfig = item.config as IngestConfig | undefined;
    // The configs of all other items are already known to be valid. Most items have none, so this saves much time.
    if (!itemConfig || !(setsChunkSizes(itemConfig) || (itemConfig.metadata && config.metadata))) continue;
    parseInput(ingestConfigSchema, mergeConfig(config, itemConfig), ["payload", "items", index, "config"]);
  }
}

/** Refuses an unusable video URL at once, instead of creating a job that fails. */
function checkVideoUrls(payload: Payload, videos: VideoSource): void {
  if (payload.type !== "YOUTUBE") return;
  const message = `must be the URL of a video, playlist or channel that ${videos.name} recognises`;
  const issues = payload.urls.flatMap((url, index) =>
    videos.recognise(url) === null
      ? [{ field: `payload.urls[${index}]`, message: `${message}; got ${preview(url)}` }]
      : [],
  );
  if (issues.length === 0) return;
  throw new KnowledgeBaseError("invalid_input", issues.map(({ field, message }) => `${field} ${message}`).join("; "), {
    issues,
  });
}

function setsChunkSizes({ chunkSize, chunkOverlap, maxChunkSize }: IngestConfig): boolean {
  return chunkSize !== undefined || chunkOverlap !== undefined || maxChunkSize !== undefined;
}

function listUploadKeys(payload: Payload): string[] {
  if (payload.type === "MANAGED_FILE") return [payload.key];
  if (payload.type !== "BATCH") return [];
  return payload.items.flatMap((item) => (item.type === "MANAGED_FILE" ? [item.key] : []));
}
