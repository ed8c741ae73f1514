import { basename } from "node:path";
import type { NamespaceHandle } from "../index.js";
import type { IngestJob, KnowledgeDocument, Namespace } from "../types.js";
import type { Command, Invocation, Outcome } from "./command.js";
import { findFiles } from "./find-files.js";
import { countOf, directoryOf, embeddingOf, objectOf } from "./flag-values.js";
import { namespaceFor } from "./namespace-for.js";
import { createProgress, type Progress } from "./progress.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

const JOB_FILES = 1000;

/** `lorebase ingest`: files into a namespace, which is made where it is not there. */
export const ingestCommand: Command = {
  name: "ingest",
  summary: "add files, folders or globs to a namespace",
  usage: "<paths...>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: ["directory", "namespace", "tenant", "embedding", "model", "metadata", "chunk-size"],
  async run(invocation) {
    const { flags, terminal } = invocation;
    const embedding = embeddingOf(flags);
    const options = {
      metadata: objectOf("metadata", flags.metadata),
      chunkSize: countOf("chunk-size", flags["chunk-size"]),
    };
    const files = await findFiles(invocation.operands);
    const progress = createProgress(terminal);
    const started = performance.now();
    return withKnowledgeBase({ directory: directoryOf(flags, terminal) }, terminal, progress, async (kb) => {
      const namespace = await namespaceFor(kb, flags.namespace ?? "default", embedding);
      const whole = kb.namespace(namespace.id);
      const handle = flags.tenant === undefined ? whole : whole.tenant(flags.tenant);
      const jobs: IngestJob[] = [];
      for (let from = 0; from < files.length; from += JOB_FILES) {
        const chunks = jobs.reduce((sum, job) => sum + job.counts.chunks, 0);
        jobs.push(await ingestJob(handle, files, from, chunks, options, invocation, progress));
      }
      progress.end();
      const documents = await documentsOf(handle, jobs);
      return outcome(namespace, jobs, documents, (performance.now() - started) / 1000);
    });
  },
};

type JobOptions = { readonly metadata: IngestJob["config"]["metadata"]; readonly chunkSize: number | undefined };

/** Ingests one job's share of the files, `before` chunks after the first; Ctrl-C cancels the job before it ends this call. */
async function ingestJob(
  handle: NamespaceHandle,
  files: readonly string[],
  from: number,
  before: number,
  options: JobOptions,
  { terminal: { signal } }: Invocation,
  progress: Progress,
): Promise<IngestJob> {
  signal.throwIfAborted();
  const share = files.slice(from, from + JOB_FILES);
  const run = await handle.ingest({ files: share }, { ...options, name: nameOf(share), signal });
  const cancel = () => void handle.jobs.cancel(run.id).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    for await (const { counts } of run) {
      const done = from + counts.documents.completed + counts.documents.failed;
      progress.update({
        label: "ingesting",
        done,
        total: files.length,
        detail: `files, ${before + counts.chunks} chunks`,
      });
    }
    const job = await run.done();
    signal.throwIfAborted();
    return job;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function nameOf(files: readonly string[]): string {
  const first = basename(files[0] ?? "");
  return files.length === 1 ? first : `${first} and ${files.length - 1} more`;
}

async function documentsOf(handle: NamespaceHandle, jobs: readonly IngestJob[]): Promise<KnowledgeDocument[]> {
  const documents: KnowledgeDocument[] = [];
  for (const { id } of jobs) {
    for await (const document of handle.documents.iterate({ ingestJobId: id, order: "asc" })) documents.push(document);
  }
  return documents;
}

function outcome(
  namespace: Namespace,
  jobs: readonly IngestJob[],
  documents: readonly KnowledgeDocument[],
  seconds: number,
): Outcome {
  const failed = documents.filter((document) => document.status === "FAILED");
  const completed = documents.length - failed.length;
  const chunks = documents.reduce((sum, document) => sum + document.totalChunks, 0);
  const { provider, model } = namespace.embeddingConfig;
  const lines = [
    ...failed.map((document) => `failed   ${document.name}: ${document.error}`),
    ...documents.flatMap(({ name, warnings }) => warnings.map((warning) => `warning  ${name}: ${warning}`)),
    `${completed} ${completed === 1 ? "document" : "documents"}, ${chunks} chunks in ${seconds.toFixed(1)} s`,
    `namespace ${namespace.slug} (${[provider, model].filter(Boolean).join(", ")})`,
  ];
  return {
    json: {
      namespace: { id: namespace.id, slug: namespace.slug, embeddingConfig: namespace.embeddingConfig },
      jobs: jobs.map(({ id, status, error, counts }) => ({ id, status, error, counts })),
      documents: documents.map(({ id, name, status, error, warnings, totalPages, totalChunks }) => {
        return { id, name, status, error, warnings, totalPages, totalChunks };
      }),
      seconds,
    },
    text: lines.join("\n"),
    exitCode: jobs.every((job) => job.status === "COMPLETED") ? 0 : 1,
  };
}
