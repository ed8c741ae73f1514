import { basename } from "node:path";
import type { DuplicateItem, IngestInput, IngestOptions, IngestRun, NamespaceHandle } from "../index.js";
import type { IngestJob, Metadata } from "../types.js";
import type { Command, Invocation } from "./command.js";
import { namespaceFor } from "./ensure-namespace.js";
import { findFiles } from "./find-files.js";
import { choiceOf, countOf, directoryOf, embeddingOf, objectOf } from "./flag-values.js";
import { followJob } from "./follow-job.js";
import { ingestOutcome } from "./ingest-outcome.js";
import { createProgress, type Progress } from "./progress.js";
import { UsageError } from "./usage-error.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

const JOB_FILES = 1000;

/** `lorebase ingest`: files into a namespace, which is made where it is not there. */
export const ingestCommand: Command = {
  name: "ingest",
  summary: "add files, folders, globs or files at addresses to a namespace",
  usage: "<paths...>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: [
    "directory",
    "namespace",
    "tenant",
    "embedding",
    "model",
    "metadata",
    "chunk-size",
    "external-id",
    "on-conflict",
    "dedupe",
  ],
  async run(invocation) {
    const { operands, flags, terminal } = invocation;
    const embedding = embeddingOf(flags);
    const options = {
      metadata: objectOf("metadata", flags.metadata),
      chunkSize: countOf("chunk-size", flags["chunk-size"]),
      externalId: flags["external-id"],
      onConflict: choiceOf("on-conflict", flags["on-conflict"], ["fail", "skip", "replace"]),
      dedupe: flags.dedupe,
    };
    const files = await findFiles(operands.filter((operand) => !isAddress(operand)));
    const shares = [
      ...sharesOf(files, (paths) => ({ files: paths })),
      ...sharesOf(operands.filter(isAddress), (addresses) => {
        return { type: "BATCH", items: addresses.map((fileUrl) => ({ type: "FILE", fileUrl })) };
      }),
    ];
    if (options.externalId !== undefined && shares.length > 1) {
      const message = `--external-id names one job, which takes up to ${JOB_FILES} files or addresses; these need ${shares.length}`;
      throw new UsageError(message);
    }
    const progress = createProgress(terminal);
    const started = performance.now();
    return withKnowledgeBase({ directory: directoryOf(flags, terminal) }, terminal, progress, async (kb) => {
      const namespace = await namespaceFor(kb, flags.namespace ?? "default", embedding);
      const whole = kb.namespace(namespace.id);
      const handle = flags.tenant === undefined ? whole : whole.tenant(flags.tenant);
      const total = shares.reduce((sum, { size }) => sum + size, 0);
      const ended: EndedShare[] = [];
      for (const share of shares) {
        const before = {
          files: shares.slice(0, ended.length).reduce((sum, { size }) => sum + size, 0),
          chunks: ended.reduce((sum, { job }) => sum + job.counts.chunks, 0),
        };
        ended.push(await ingestShare(handle, share, { before, total, options, invocation, progress }));
      }
      progress.end();
      const jobs = ended.map(({ job }) => job);
      const { json, text, exitCode } = await ingestOutcome(handle, namespace, jobs, started);
      const lines = ended.flatMap(({ run, duplicates }) => [
        ...(run.outcome === "skipped" ? [`skipped  ${run.id} has the external id and is left as it is`] : []),
        ...(run.outcome === "replaced" ? [`replaced ${run.id}`] : []),
        ...duplicates.map(({ name, documentId }) => `skipped  ${name ?? "a text"}: ${documentId} has its content`),
      ]);
      const duplicates = ended.flatMap((share) => share.duplicates);
      return {
        json: { ...json, outcomes: ended.map(({ run }) => run.outcome), duplicates },
        text: [...lines, text].join("\n"),
        exitCode: exitCode ?? 0,
      };
    });
  },
};

/** What one job takes in. */
interface Share {
  readonly input: IngestInput<Metadata>;
  readonly name: string;
  readonly size: number;
}

interface EndedShare {
  readonly run: IngestRun<Metadata>;
  readonly job: IngestJob;
  readonly duplicates: readonly DuplicateItem[];
}

function sharesOf(all: readonly string[], inputOf: (part: readonly string[]) => Share["input"]): Share[] {
  return Array.from({ length: Math.ceil(all.length / JOB_FILES) }, (_, index) => {
    const part = all.slice(index * JOB_FILES, (index + 1) * JOB_FILES);
    const first = nameOf(part[0]!);
    const name = part.length === 1 ? first : `${first} and ${part.length - 1} more`;
    return { input: inputOf(part), name, size: part.length };
  });
}

async function ingestShare(
  handle: NamespaceHandle,
  { input, name }: Share,
  {
    before,
    total,
    options,
    invocation,
    progress,
  }: {
    /** What earlier jobs have done. */
    readonly before: { readonly files: number; readonly chunks: number };
    readonly total: number;
    readonly options: IngestOptions<Metadata>;
    readonly invocation: Invocation;
    readonly progress: Progress;
  },
): Promise<EndedShare> {
  const { signal } = invocation.terminal;
  signal.throwIfAborted();
  const run = await handle.ingest(input, { ...options, name, signal });
  const job = await followJob(handle, run, signal, ({ counts }) => {
    const done = before.files + counts.documents.completed + counts.documents.failed;
    progress.update({ label: "ingesting", done, total, detail: `files, ${before.chunks + counts.chunks} chunks` });
  });
  return { run, job, duplicates: await run.duplicates() };
}

function isAddress(operand: string): boolean {
  return /^https?:\/\//i.test(operand) && URL.canParse(operand);
}

/** Of an address nothing but its file's name: it may have a password in it. */
function nameOf(operand: string): string {
  if (!isAddress(operand)) return basename(operand);
  const { pathname, host } = new URL(operand);
  return basename(pathname) || host;
}
