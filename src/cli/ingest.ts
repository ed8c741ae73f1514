import { basename } from "node:path";
import type { DuplicateItem, IngestInput, IngestOptions, IngestRun } from "../index.js";
import type { IngestJob, Metadata } from "../types.js";
import { chunkArray } from "../util/chunk-array.js";
import { formatCount } from "./columns.js";
import type { Command } from "./command.js";
import { findFiles } from "./find-files.js";
import { parseChoice, parseIngestFlags } from "./flag-values.js";
import { INGEST_FLAGS, NAMESPACE_FLAGS } from "./flags.js";
import { describePages, followJob } from "./follow-job.js";
import { buildIngestOutcome } from "./ingest-outcome.js";
import { UsageError } from "./usage-error.js";
import { type Target, withTargetNamespace } from "./with-namespace.js";

const MAX_ITEMS_PER_JOB = 1000;

export const ingestCommand: Command = {
  name: "ingest",
  summary: "add files, folders, globs or URLs of files to a namespace",
  usage: "<paths...>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: [...NAMESPACE_FLAGS, ...INGEST_FLAGS, "external-id", "on-conflict", "dedupe"],
  async run(invocation) {
    const startTime = performance.now();
    const { operands, flags, terminal } = invocation;
    const { embeddingConfig, config } = parseIngestFlags(flags);
    const options = {
      ...config,
      externalId: flags["external-id"],
      onConflict: parseChoice("on-conflict", flags["on-conflict"], ["fail", "skip", "replace"]),
      dedupe: flags.dedupe,
      signal: terminal.signal,
    };
    const files = await findFiles(operands.filter((operand) => !isUrl(operand)));
    const batches = [
      ...toBatches(files, (paths) => ({ files: paths })),
      ...toBatches(operands.filter(isUrl), (urls) => {
        return { type: "BATCH", items: urls.map((fileUrl) => ({ type: "FILE", fileUrl })) };
      }),
    ];
    if (options.externalId !== undefined && batches.length > 1) {
      const limit = `one job, which has up to ${MAX_ITEMS_PER_JOB} files or up to ${MAX_ITEMS_PER_JOB} URLs`;
      throw new UsageError(`--external-id identifies ${limit}; these paths need ${batches.length} jobs`);
    }
    return withTargetNamespace(invocation, embeddingConfig, async (target) => {
      const ended = await ingestBatches(target, batches, options);
      target.progress.end();
      const jobs = ended.map(({ job }) => job);
      const { json, text, exitCode } = await buildIngestOutcome(target.handle, target.namespace, jobs, startTime);
      const lines = ended.flatMap(({ run, duplicates }) => [
        ...(run.outcome === "skipped" ? [`skipped  ${run.id} already has this external id`] : []),
        ...(run.outcome === "replaced" ? [`replaced ${run.id}`] : []),
        ...duplicates.map(({ name, documentId }) => `skipped  ${name ?? "a text"}: same content as ${documentId}`),
      ]);
      const duplicates = ended.flatMap((batch) => batch.duplicates);
      return {
        json: { ...json, outcomes: ended.map(({ run }) => run.outcome), duplicates },
        text: [...lines, text].join("\n"),
        exitCode: exitCode ?? 0,
      };
    });
  },
};

/** The input of one job. */
interface Batch {
  readonly input: IngestInput<Metadata>;
  readonly name: string;
  readonly size: number;
}

interface EndedBatch {
  readonly run: IngestRun<Metadata>;
  readonly job: IngestJob;
  readonly duplicates: readonly DuplicateItem[];
}

function toBatches(items: readonly string[], toInput: (part: readonly string[]) => Batch["input"]): Batch[] {
  return chunkArray(items, MAX_ITEMS_PER_JOB).map((part) => {
    const first = fileName(part[0]!);
    const name = part.length === 1 ? first : `${first} and ${part.length - 1} more`;
    return { input: toInput(part), name, size: part.length };
  });
}

/** Ingests batches one after the other and shows their combined progress. */
async function ingestBatches(
  { handle, progress }: Target,
  batches: readonly Batch[],
  options: IngestOptions<Metadata> & { readonly signal: AbortSignal },
): Promise<readonly EndedBatch[]> {
  const { signal } = options;
  const total = batches.reduce((sum, { size }) => sum + size, 0);
  const ended: EndedBatch[] = [];
  let previous = { files: 0, chunks: 0 };
  for (const { input, name, size } of batches) {
    signal.throwIfAborted();
    const run = await handle.ingest(input, { ...options, name });
    const job = await followJob(handle, run, signal, (event) => {
      const { counts } = event;
      const done = previous.files + counts.documents.completed + counts.documents.failed;
      progress.update({
        label: "ingesting",
        done,
        total,
        detail: `files, ${formatCount(previous.chunks + counts.chunks, "chunk")}${describePages(event)}`,
      });
    });
    ended.push({ run, job, duplicates: await run.duplicates() });
    previous = { files: previous.files + size, chunks: previous.chunks + job.counts.chunks };
  }
  return ended;
}

function isUrl(operand: string): boolean {
  return /^https?:\/\//i.test(operand) && URL.canParse(operand);
}

/** Returns a path's file name, or a URL's file name or host: a whole URL may contain a password. */
function fileName(operand: string): string {
  if (!isUrl(operand)) return basename(operand);
  const { pathname, host } = new URL(operand);
  return basename(pathname) || host;
}
