import { newId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { removeUpload } from "../engine/remove-upload.js";
import { KnowledgeBaseError } from "../errors.js";
import { type IngestOutcome, waitForJobEnd } from "../events/ingest-run.js";
import type { Access } from "../storage/records/access.js";
import type { CreatedJob, NewJob } from "../storage/records/jobs.js";
import type { CallOptions, Status } from "../types.js";

/** A new job as it is stored, with its masked payload. */
interface NewJobRecord extends NewJob {
  readonly masked: Record<string, unknown>;
}

interface JobRequest {
  readonly externalId: string | null;
  readonly onConflict: "fail" | "skip" | "replace";
  /** Creates the record of a job with this id. Its sealed values are bound to the id. */
  readonly createRecord: (id: string) => NewJobRecord;
}

interface JobSubmission {
  readonly id: string;
  readonly outcome: IngestOutcome;
  /** The `seq` of the last event before this submission. */
  readonly after: number;
  /** `null` unless the job is new. */
  readonly created: (Pick<NewJobRecord, "masked" | "now"> & CreatedJob) | null;
}

/** Creates a job, or applies `onConflict` if another job has its external id. */
export async function submitJob(
  engine: Engine,
  access: Access,
  request: JobRequest,
  options: CallOptions,
): Promise<JobSubmission> {
  const { externalId, onConflict } = request;
  if (onConflict === "fail" || externalId === null) return createJob(engine, request);
  const { storage, events } = engine;
  let existingId = onConflict === "replace" ? await findJobId(engine, access, externalId) : null;
  while (true) {
    const { masked, ...job } = request.createRecord(existingId ?? newId("job"));
    const submission = await storage.jobs.submit({ ...job, onConflict });
    switch (submission.outcome) {
      case "created":
        events.emitWorkAdded();
        return {
          id: job.id,
          outcome: "created",
          after: 0,
          created: { masked, now: job.now, ...submission },
        };
      case "skipped":
        return { id: submission.jobId, outcome: "skipped", after: 0, created: null };
      case "replaced":
        events.emitWorkAdded();
        events.emitJobChanged(job.id);
        // If the process ends before that, the worker removes the uploads once they have expired.
        for (const key of submission.freedUploadKeys) await removeUpload(engine, key);
        return { id: job.id, outcome: "replaced", after: submission.after, created: null };
      case "other":
        existingId = submission.jobId;
        break;
      case "unfinished":
        await waitUntilEnded(engine, { id: job.id, externalId, status: submission.status }, options);
    }
    options.signal?.throwIfAborted();
  }
}

async function createJob(engine: Engine, { createRecord }: JobRequest): Promise<JobSubmission> {
  const { masked, ...job } = createRecord(newId("job"));
  const created = await engine.storage.jobs.create(job);
  engine.events.emitWorkAdded();
  return { id: job.id, outcome: "created", after: 0, created: { masked, now: job.now, ...created } };
}

/**
 * Waits until the job that is to be replaced has ended.
 * @throws KnowledgeBaseError `conflict` (retryable) if this process has no worker, so that the wait might never end
 */
async function waitUntilEnded(
  engine: Engine,
  { id, externalId, status }: { readonly id: string; readonly externalId: string; readonly status: Status },
  options: CallOptions,
): Promise<void> {
  if (engine.options.worker) return waitForJobEnd(engine, id, options);
  const message = `The ingest job ${id} with the externalId ${JSON.stringify(externalId)} is ${status}: it can only be replaced once it has ended.`;
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}

/** Finds the id of the namespace and tenant's job with the external id; `null` if there is none or it is deleted. */
export async function findJobId(
  { storage }: Engine,
  { namespaceId, tenantId }: Access,
  externalId: string,
): Promise<string | null> {
  return storage.jobs.getIdByExternalId({ namespaceId, tenantId, externalId });
}
