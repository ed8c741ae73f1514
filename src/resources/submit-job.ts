import { newId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type IngestOutcome, jobEnded } from "../events/ingest-run.js";
import type { Access } from "../storage/records/access.js";
import type { NewJob } from "../storage/records/jobs.js";
import type { CallOptions, Status } from "../types.js";

/** A new job as it is stored, and its payload without secrets. */
interface JobRecord extends NewJob {
  readonly masked: Record<string, unknown>;
}

interface JobRequest {
  readonly externalId: string | null;
  readonly onConflict: "fail" | "skip" | "replace";
  /** The record of a job with that id: what is encrypted is bound to it. */
  readonly record: (id: string) => JobRecord;
}

interface SubmittedJob {
  readonly id: string;
  readonly outcome: IngestOutcome;
  /** The last event that is not of this run. */
  readonly after: number;
  /** Null unless the job is new. */
  readonly created: (Pick<JobRecord, "masked" | "now"> & { readonly status: Status }) | null;
}

/** Creates a job, or applies `onConflict` if one has its external id. */
export async function submitJob(
  engine: Engine,
  access: Access,
  request: JobRequest,
  call: CallOptions,
): Promise<SubmittedJob> {
  const { externalId, onConflict } = request;
  if (onConflict === "fail" || externalId === null) return createJob(engine, request);
  const { storage, events } = engine;
  let known = onConflict === "replace" ? await jobWithExternalId(engine, access, externalId) : null;
  while (true) {
    const { masked, ...job } = request.record(known ?? newId("job"));
    const submission = await storage.jobs.submit({ ...job, onConflict });
    switch (submission.outcome) {
      case "created":
        events.workAdded();
        return {
          id: job.id,
          outcome: "created",
          after: 0,
          created: { masked, now: job.now, status: submission.status },
        };
      case "skipped":
        return { id: submission.jobId, outcome: "skipped", after: 0, created: null };
      case "replaced":
        events.workAdded();
        events.jobChanged(job.id);
        for (const key of submission.freed) await removeUpload(engine, key);
        return { id: job.id, outcome: "replaced", after: submission.after, created: null };
      case "other":
        known = submission.jobId;
        break;
      case "unfinished":
        await untilEnded(engine, { id: job.id, externalId, status: submission.status }, call);
    }
    call.signal?.throwIfAborted();
  }
}

async function createJob(engine: Engine, { record }: JobRequest): Promise<SubmittedJob> {
  const { masked, ...job } = record(newId("job"));
  const status = await engine.storage.jobs.create(job);
  engine.events.workAdded();
  return { id: job.id, outcome: "created", after: 0, created: { masked, now: job.now, status } };
}

/** Should the process end before, the sweeper does it. */
async function removeUpload({ blobs, storage }: Engine, key: string): Promise<void> {
  await blobs.delete(key);
  await storage.uploads.remove({ key });
}

/** @throws KnowledgeBaseError `conflict` if this process has no worker that could end the job */
async function untilEnded(
  engine: Engine,
  { id, externalId, status }: { readonly id: string; readonly externalId: string; readonly status: Status },
  call: CallOptions,
): Promise<void> {
  if (engine.options.worker) return jobEnded(engine, id, call);
  const message = `The ingest job ${id} with the externalId ${JSON.stringify(externalId)} is ${status}: it can be replaced when it has ended.`;
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}

/** The id of the live job of the namespace and tenant with that external id; `null` if there is none. */
export async function jobWithExternalId(
  { storage }: Engine,
  { namespaceId, tenantId }: Access,
  externalId: string,
): Promise<string | null> {
  return storage.jobs.byExternalId({ namespaceId, tenantId, externalId });
}
