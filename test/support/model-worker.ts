import { KnowledgeBaseError } from "lorebase";
import type { RunnableDocument } from "../../src/storage/records/documents.js";
import type { ClaimedTask } from "../../src/storage/records/tasks.js";
import type { QueueModel } from "./queue-model.js";

/** How a model's documents end. */
export type DocumentEnd = "publish" | "fail";

/** The steps of one claimed task, each of which another worker or a caller may come before. */
export type TaskSteps = Iterator<void, void>;

export function runTask(model: QueueModel, task: ClaimedTask, end: DocumentEnd): TaskSteps {
  return task.kind === "ingest" ? ingest(model, task, end) : remove(model, task);
}

/** Takes one step; false when the task is over, by its end or because it is another's now. */
export function step(steps: TaskSteps): boolean {
  try {
    return steps.next().done !== true;
  } catch (error) {
    if (KnowledgeBaseError.is(error, "conflict")) return false;
    throw error;
  }
}

function* ingest(model: QueueModel, task: ClaimedTask, end: DocumentEnd): Generator<void, void> {
  const { lease, subject: jobId } = task;
  const [job] = model.all<{ status: string }>(`SELECT status FROM ingest_jobs WHERE id = '${jobId}'`);
  if (job && !["CANCELLING", "QUEUED_FOR_DELETE", "DELETING"].includes(job.status)) {
    yield;
    if (job.status.startsWith("QUEUED"))
      model.change("jobs.move", { lease, jobId, status: "PRE_PROCESSING", now: model.now() });
    yield;
    model.change("jobs.expand", { lease, jobId, now: model.now() });
    yield;
    model.change("jobs.move", { lease, jobId, status: "PROCESSING", now: model.now() });
    yield;
    for (const document of model.change("documents.listRunnable", { resume: true, lease, jobId, now: model.now() })) {
      yield* ingestOne(model, task, document, end);
    }
  }
  yield;
  model.change("jobs.finish", { lease, jobId, ...model.place });
}

function* ingestOne(
  model: QueueModel,
  task: ClaimedTask,
  document: RunnableDocument,
  end: DocumentEnd,
): Generator<void, void> {
  const { lease } = task;
  const { seq } = document;
  yield;
  if (!model.change("documents.move", { lease, seq, status: "PRE_PROCESSING", now: model.now() })) return;
  yield;
  const generation = model.change("documents.openGeneration", { lease, seq, now: model.now() });
  if (generation === null) return;
  yield;
  const chunk = { ordinal: 0, text: "one", indexText: "one", headings: [], page: null, tokens: 1, start: 0, end: 3 };
  const chunks = [{ ...chunk, embeddingKey: null }];
  const texts = [{ start: 0, text: "one", pageStarts: null }];
  const { scopeId } = document;
  const content = { metadata: { year: 2026 }, chunks, texts, stemming: 1, cache: null, pendingVectors: null };
  const batch = { lease, documentSeq: seq, scopeId, generation, ...content };
  if (!model.change("documents.writeChunks", batch)) return;
  yield;
  // As a worker does that is told of a cancellation: it leaves the document as it is.
  if (model.all(`SELECT 1 FROM ingest_jobs WHERE id = '${task.subject}' AND status = 'CANCELLING'`).length > 0) return;
  if (end === "fail") {
    model.change("documents.fail", { lease, seq, error: "no", now: model.now() });
    return;
  }
  const counts = {
    sourceVersion: null,
    contentHash: "",
    source: null,
    fileSize: 1,
    chunks: 1,
    tokens: 1,
    characters: 3,
    pages: 1,
  };
  const shown = { name: null, mimeType: "text/plain", warnings: [], ...counts };
  model.change("documents.publish", { lease, organizationId: "org", seq, generation, ...shown, now: model.now() });
}

function* remove(model: QueueModel, task: ClaimedTask): Generator<void, void> {
  const { lease, subject } = task;
  if (task.kind === "purge") {
    const [id, generation] = subject.split(".");
    const [document] = model.all<{ seq: number }>(`SELECT seq FROM documents WHERE id = '${id}'`);
    yield;
    const purge = { lease, generation: Number(generation) };
    if (document) while (model.change("documents.purgeChunks", { ...purge, documentSeq: document.seq }));
  } else if (task.kind === "delete_document") {
    yield* removeDocument(model, task, subject);
  } else {
    model.change("documents.startDeleting", { lease, table: "ingest_jobs", id: subject, now: model.now() });
    const documents = model.all<{ id: string }>(`SELECT id FROM documents WHERE ingest_job_id = '${subject}'`);
    for (const { id } of documents) yield* removeDocument(model, task, id);
    yield;
    model.change("jobs.remove", { lease, jobId: subject, ...model.place });
  }
  yield;
  model.change("tasks.complete", { lease });
}

function* removeDocument(model: QueueModel, { lease }: ClaimedTask, id: string): Generator<void, void> {
  yield;
  const [document] = model.all<{ seq: number }>(`SELECT seq FROM documents WHERE id = '${id}'`);
  if (!document) return;
  model.change("documents.startDeleting", { lease, table: "documents", id, now: model.now() });
  yield;
  while (model.change("documents.purgeChunks", { lease, documentSeq: document.seq, generation: "all" }));
  yield;
  model.change("documents.remove", { lease, documentId: id, now: model.now() });
}
