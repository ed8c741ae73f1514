import { type IngestJob, STATUSES } from "../types.js";
import { columns, counted } from "./columns.js";
import type { Command } from "./command.js";
import { choiceOf, existingDirectoryOf } from "./flag-values.js";
import { followJob } from "./follow-job.js";
import { ingestOutcome } from "./ingest-outcome.js";
import { createProgress } from "./progress.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";
import { REMOVED_LATER, withNamespace } from "./with-namespace.js";

/** `lorebase jobs list`: every ingest job of a namespace, the newest first. */
export const jobsListCommand: Command = {
  name: "jobs list",
  summary: "show the ingest jobs of a namespace",
  usage: "",
  operands: { min: 0, max: 0 },
  flags: ["directory", "namespace", "tenant", "status"],
  run: (invocation) => {
    const status = choiceOf("status", invocation.flags.status, STATUSES);
    return withNamespace(invocation, async (handle, slug) => {
      const jobs: IngestJob[] = [];
      const options = { signal: invocation.terminal.signal, ...(status && { statuses: [status] }) };
      for await (const job of handle.ingestJobs.iterate(options)) jobs.push(job);
      return {
        json: { namespace: slug, jobs },
        text: jobs.length === 0 ? `no jobs in ${slug}` : columns(jobs.map(row)),
      };
    });
  },
};

/** `lorebase jobs show`: one job with its counts and error. */
export const jobsShowCommand: Command = {
  name: "jobs show",
  summary: "show one ingest job",
  usage: "<id>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "namespace", "tenant"],
  run: (invocation) =>
    withNamespace(invocation, async (handle) => {
      const job = await handle.ingestJobs.get(invocation.operands[0]!);
      return { json: job, text: details(job) };
    }),
};

/** `lorebase jobs cancel`: ends a job; what it has completed stays. */
export const jobsCancelCommand: Command = {
  name: "jobs cancel",
  summary: "stop an ingest job; documents that are completed stay",
  usage: "<id>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "namespace", "tenant"],
  run: (invocation) =>
    withNamespace(invocation, async (handle) => {
      const job = await handle.ingestJobs.cancel(invocation.operands[0]!);
      return { json: job, text: `${job.id} is ${job.status}` };
    }),
};

/** `lorebase jobs delete`: a job and its documents. */
export const jobsDeleteCommand: Command = {
  name: "jobs delete",
  summary: "delete an ingest job and its documents",
  usage: "<id>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "namespace", "tenant"],
  run: (invocation) =>
    withNamespace(invocation, async (handle) => {
      const job = await handle.ingestJobs.delete(invocation.operands[0]!);
      return { json: job, text: `deleted ${job.id} and its documents: ${REMOVED_LATER}` };
    }),
};

/** `lorebase jobs reingest`: reads a job's sources again and waits for the end. */
export const jobsReingestCommand: Command = {
  name: "jobs reingest",
  summary: "read the sources of an ingest job again",
  usage: "<id>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "namespace", "tenant"],
  async run({ operands, flags, terminal }) {
    const progress = createProgress(terminal);
    const started = performance.now();
    return withKnowledgeBase({ directory: existingDirectoryOf(flags, terminal) }, terminal, progress, async (kb) => {
      const namespace = await kb.namespaces.get(flags.namespace ?? "default");
      const whole = kb.namespace(namespace.id);
      const handle = flags.tenant === undefined ? whole : whole.tenant(flags.tenant);
      const run = await handle.ingestJobs.reingest(operands[0]!, { signal: terminal.signal });
      const job = await followJob(handle, run, terminal.signal, ({ counts }) => {
        const { total, completed, failed } = counts.documents;
        const detail = `documents, ${counted(counts.chunks, "chunk")}`;
        progress.update({ label: "ingesting", done: completed + failed, total, detail });
      });
      progress.end();
      return ingestOutcome(handle, namespace, [job], started);
    });
  },
};

function row({ id, status, counts, payload, createdAt, name, error }: IngestJob): string[] {
  const { completed, total, failed } = counts.documents;
  const documents = `${completed} of ${counted(total, "document")}${failed > 0 ? `, ${failed} failed` : ""}`;
  return [id, status, payload.type, documents, `${createdAt.slice(0, 16)}Z`, [name, error].filter(Boolean).join(": ")];
}

function details(job: IngestJob): string {
  const { documents, pages, chunks } = job.counts;
  const lines: (readonly [string, string | null])[] = [
    ["id", job.id],
    ["name", job.name],
    ["status", job.status],
    ["error", job.error],
    ["tenant", job.tenantId],
    ["external id", job.externalId],
    ["payload", job.payload.type],
    ["documents", `${documents.completed} completed, ${documents.failed} failed, ${documents.total} in all`],
    ["content", `${counted(pages, "page")}, ${counted(chunks, "chunk")}`],
    ["created", job.createdAt],
    ["completed", job.completedAt],
    ["failed", job.failedAt],
  ];
  return columns(lines.flatMap(([label, value]) => (value === null ? [] : [[label, value]])));
}
