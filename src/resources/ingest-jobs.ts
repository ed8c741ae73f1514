import type { z } from "zod";
import { type Access, jobRecordsOf, notFound } from "../database/access.js";
import { fetchPage, inRange, iteratePages, type RowRange } from "../database/pagination.js";
import { isUniqueViolation } from "../database/sqlite/thread-protocol.js";
import type { Engine } from "../engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { newId } from "../ids.js";
import { IngestRun } from "../ingest-run.js";
import type { VideoSource } from "../interfaces/video-source.js";
import { mergeConfig } from "../merge-config.js";
import { PendingRun } from "../pending-run.js";
import { preview } from "../preview.js";
import { createJobSchema, ingestConfigSchema, listJobsSchema, parseInput } from "../schemas.js";
import type { CallOptions, IngestConfig, IngestJob, IngestPayload, ListPage, Status } from "../types.js";
import { confirmUploads } from "./confirm-uploads.js";
import type { Enter } from "./documents.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { newJobRecord, toIngestJob } from "./records.js";
import { sealPayload } from "./sealed-payload.js";

export interface CreateIngestJob<M> {
  readonly payload: IngestPayload<M>;
  readonly name?: string | null | undefined;
  /** Unique in the namespace and tenant. */
  readonly externalId?: string | null | undefined;
  readonly config?: IngestConfig<M> | undefined;
}

export interface ListIngestJobs extends ListOptions {
  readonly statuses?: readonly Status[] | undefined;
}

type Payload = z.output<typeof createJobSchema>["payload"];

/** The ingest jobs of one organization's namespaces. */
export class IngestJobs<M> {
  readonly #enter: Enter;

  constructor(enter: Enter) {
    this.#enter = enter;
  }

  /**
   * Records a job and queues it; returns before the work begins.
   * @throws KnowledgeBaseError `invalid_input`, `conflict` where the external id is taken
   */
  async create(namespace: string, input: CreateIngestJob<M>, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { job } = await this.#submit(namespace, input, options);
    return job;
  }

  /** As {@link create}, and follows the job. */
  async start(namespace: string, input: CreateIngestJob<M>, options: CallOptions = {}): Promise<IngestRun<M>> {
    const { engine, job } = await this.#submit(namespace, input, options);
    return this.#run(engine, namespace, job.id);
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { engine, access } = await this.#enter(namespace);
    options.signal?.throwIfAborted();
    return this.#get(engine, access, jobId);
  }

  async list(namespace: string, options: ListIngestJobs = {}): Promise<ListPage<IngestJob<M>>> {
    const { signal, ...input } = options;
    const { statuses, ...request } = parseInput(listJobsSchema, input);
    const { engine, access } = await this.#enter(namespace);
    signal?.throwIfAborted();
    const matching = (range: RowRange) =>
      jobRecordsOf(engine.database.query, access)
        .$if(statuses !== undefined, (query) => query.where("status", "in", statuses!))
        .$call(inRange(range));
    return fetchPage(
      `ingest-jobs of ${access.namespaceId}`,
      request,
      (range) => matching(range).execute(),
      (row) => toIngestJob<M>(row),
      (range) =>
        matching(range)
          .clearSelect()
          .select((eb) => eb.fn<number>("octet_length", ["payload"]).as("bytes"))
          .execute(),
    );
  }

  /** Every job, page by page. */
  iterate(namespace: string, options: IterateOptions<ListIngestJobs> = {}): AsyncIterable<IngestJob<M>> {
    return iteratePages((cursor) => this.list(namespace, { ...options, cursor }));
  }

  /** A live view of a job, also of one that another process or an earlier run of this one started. */
  async watch(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestRun<M>> {
    const { engine, access } = await this.#enter(namespace);
    await this.#get(engine, access, jobId);
    options.signal?.throwIfAborted();
    return this.#run(engine, namespace, jobId);
  }

  /**
   * Queues a finished job again: ids stay, and its old chunks stay searchable until the new ones are whole. The run tells its events from
   * here on.
   * @throws KnowledgeBaseError `not_found`, or `conflict` while it is unfinished or being deleted
   */
  reingest(namespace: string, jobId: string, options: CallOptions = {}): PendingRun<IngestRun<M>> {
    return PendingRun.of(async () => {
      const { engine, access } = await this.#enter(namespace);
      await this.#get(engine, access, jobId);
      options.signal?.throwIfAborted();
      const { organizationId } = access;
      const after = await engine.database.change("reingestJob", { jobId, organizationId, now: engine.now() });
      engine.events.workAdded();
      engine.events.jobChanged(jobId);
      return this.#run(engine, namespace, jobId, after);
    });
  }

  /**
   * Stops a job. Documents that are completed stay; the rest become CANCELLED.
   * @throws KnowledgeBaseError `not_found`, or `conflict` where it has ended otherwise
   */
  async cancel(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { engine, access } = await this.#enter(namespace);
    await this.#get(engine, access, jobId);
    options.signal?.throwIfAborted();
    await engine.database.change("cancelJob", { jobId, ...placeOf(engine, access) });
    engine.events.workAdded();
    engine.events.jobStopped(jobId);
    return this.#get(engine, access, jobId);
  }

  /**
   * Queues the removal of a job and its documents. No search finds them from here on; the job can be read until it is gone.
   * @throws KnowledgeBaseError `not_found`
   */
  async delete(namespace: string, jobId: string, options: CallOptions = {}): Promise<IngestJob<M>> {
    const { engine, access } = await this.#enter(namespace);
    const job = await this.#get(engine, access, jobId);
    options.signal?.throwIfAborted();
    await engine.database.change("deleteJob", { jobId, ...placeOf(engine, access) });
    engine.events.workAdded();
    engine.events.jobStopped(jobId);
    // A fast worker may have removed it already.
    return this.#get(engine, access, jobId).catch(() => ({ ...job, status: "QUEUED_FOR_DELETE" as const }));
  }

  /** The record is made from what is at hand: a payload may be too large to read back without need. */
  async #submit(
    namespace: string,
    input: CreateIngestJob<M>,
    options: CallOptions,
  ): Promise<{ engine: Engine; job: IngestJob<M> }> {
    const { payload, name, externalId, config = {} } = parseInput(createJobSchema, input);
    checkItems(payload, config as IngestConfig);
    const { engine, access } = await this.#enter(namespace);
    options.signal?.throwIfAborted();
    checkVideos(payload, engine.videos);
    const id = newId("job");
    const now = engine.now();
    const { organizationId, namespaceId, tenantId } = access;
    const { masked, sealed } = sealPayload(payload, engine.secrets, { organizationId, namespaceId, owner: id });
    const keys = uploadKeys(payload);
    await confirmUploads(engine, access, keys, options);
    const status = await engine.database
      .change("createJob", {
        id,
        organizationId,
        namespaceId,
        tenantId,
        externalId,
        name,
        now,
        payload: JSON.stringify(masked),
        sealed: sealed.map((value) => ({ namespaceId, owner: id, ...value })),
        config: JSON.stringify(config),
        uploadKeys: keys,
        capacity: engine.options.limits.activeJobs,
      })
      .catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        throw new KnowledgeBaseError(
          "conflict",
          `The externalId ${JSON.stringify(externalId)} is taken by another ingest job.`,
        );
      });
    engine.events.workAdded();
    const row = { id, namespaceId, tenantId, externalId, name, status, now };
    return { engine, job: newJobRecord<M>(row, masked, config as IngestConfig<M>) };
  }

  #run(engine: Engine, namespace: string, jobId: string, after = 0): IngestRun<M> {
    return new IngestRun<M>(jobId, engine, { job: (call) => this.get(namespace, jobId, call), after });
  }

  async #get(engine: Engine, access: Access, jobId: string): Promise<IngestJob<M>> {
    const row = await jobRecordsOf(engine.database.query, access).where("id", "=", jobId).executeTakeFirst();
    if (!row) throw notFound("ingest job", jobId);
    return toIngestJob(row);
  }
}

function placeOf(engine: Engine, { organizationId }: Access) {
  return { organizationId, capacity: engine.options.limits.activeJobs, now: engine.now() };
}

/** What an item's config means together with the job's must keep the same rules as either alone. */
function checkItems(payload: Payload, config: IngestConfig): void {
  if (payload.type !== "BATCH") return;
  for (const [index, item] of payload.items.entries()) {
    const own = item.config as IngestConfig | undefined;
    // An item that only adds metadata of its own has been checked as it is: most do, and checking twice would take long.
    if (!own || !(touchesSizes(own) || (own.metadata && config.metadata))) continue;
    parseInput(ingestConfigSchema, mergeConfig(config, own), ["payload", "items", index, "config"]);
  }
}

/** An address that leads nowhere is told at once, and not by a job that fails. */
function checkVideos(payload: Payload, videos: VideoSource): void {
  if (payload.type !== "YOUTUBE") return;
  const message = `must lead to a video, a playlist or a channel that ${videos.name} knows`;
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

function touchesSizes({ chunkSize, chunkOverlap, maxChunkSize }: IngestConfig): boolean {
  return chunkSize !== undefined || chunkOverlap !== undefined || maxChunkSize !== undefined;
}

function uploadKeys(payload: Payload): string[] {
  if (payload.type === "MANAGED_FILE") return [payload.key];
  if (payload.type !== "BATCH") return [];
  return payload.items.flatMap((item) => (item.type === "MANAGED_FILE" ? [item.key] : []));
}
