import type { IngestJob } from "../types.js";
import { formatCount, formatFields } from "./columns.js";
import type { Command } from "./command.js";
import { parseCount } from "./flag-values.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { describePages, followJob } from "./follow-job.js";
import { buildIngestOutcome } from "./ingest-outcome.js";
import { createListCommand, createRecordCommand, REMOVED_LATER } from "./record-commands.js";
import { parseExistingStorageFlags } from "./storage-flags.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";
import { getNamespaceHandle, parseNamespaceFlag } from "./with-namespace.js";

export const jobCommands: readonly Command[] = [
  createListCommand(
    "jobs",
    "show the ingest jobs of a namespace, newest first",
    (handle, options) => handle.ingestJobs.iterate(options),
    toRow,
  ),
  createRecordCommand("jobs show", "show one ingest job", async (handle, id) => {
    const job = await handle.ingestJobs.get(id);
    return { json: job, text: describeJob(job) };
  }),
  createRecordCommand("jobs cancel", "stop an ingest job; completed documents stay", async (handle, id) => {
    const job = await handle.ingestJobs.cancel(id);
    return { json: job, text: `${job.id} is ${job.status}` };
  }),
  {
    name: "jobs reingest",
    summary: "read the sources of an ingest job again, and wait until it has ended",
    usage: "<id>",
    operands: { min: 1, max: 1 },
    flags: [...NAMESPACE_FLAGS, "chunk-size"],
    async run({ operands, flags, terminal }) {
      const startTime = performance.now();
      return withKnowledgeBase(parseExistingStorageFlags(flags, terminal), terminal, async (kb, progress) => {
        const namespace = await kb.namespaces.get(parseNamespaceFlag(flags));
        const handle = getNamespaceHandle(kb, namespace.id, flags.tenant);
        const chunkSize = parseCount("chunk-size", flags["chunk-size"]);
        const run = await handle.ingestJobs.reingest(operands[0]!, {
          ...(chunkSize !== undefined && { chunking: { chunkSize } }),
          signal: terminal.signal,
        });
        const job = await followJob(handle, run, terminal.signal, (event) => {
          const { counts } = event;
          const { total, completed, failed } = counts.documents;
          const detail = `documents, ${formatCount(counts.chunks, "chunk")}${describePages(event)}`;
          progress.update({ label: "ingesting", done: completed + failed, total, detail });
        });
        progress.end();
        return buildIngestOutcome(handle, namespace, [job], startTime);
      });
    },
  },
  createRecordCommand("jobs delete", "delete an ingest job and its documents", async (handle, id) => {
    const job = await handle.ingestJobs.delete(id);
    return { json: job, text: `deleted ${job.id} and its documents: ${REMOVED_LATER}` };
  }),
];

function toRow({ id, status, counts, payload, createdAt, name, error }: IngestJob): string[] {
  const { completed, total, failed } = counts.documents;
  const documents = `${completed} of ${formatCount(total, "document")}${failed > 0 ? `, ${failed} failed` : ""}`;
  return [id, status, payload.type, documents, `${createdAt.slice(0, 16)}Z`, [name, error].filter(Boolean).join(": ")];
}

function describeJob(job: IngestJob): string {
  const { documents, pages, chunks } = job.counts;
  return formatFields([
    ["id", job.id],
    ["name", job.name],
    ["status", job.status],
    ["error", job.error],
    ["tenant", job.tenantId],
    ["external id", job.externalId],
    ["payload", job.payload.type],
    ["documents", `${documents.completed} completed, ${documents.failed} failed, ${documents.total} in total`],
    ["content", `${formatCount(pages, "page")}, ${formatCount(chunks, "chunk")}`],
    ["created", job.createdAt],
    ["completed", job.completedAt],
    ["failed", job.failedAt],
  ]);
}
