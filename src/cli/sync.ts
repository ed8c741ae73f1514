import { isAbortError } from "../errors.js";
import type { NamespaceHandle, SkippedFile, SyncResult, SyncRun } from "../index.js";
import type { Metadata, Namespace } from "../types.js";
import type { Command, Outcome } from "./command.js";
import { documentsOf } from "./documents-of.js";
import { namespaceFor } from "./ensure-namespace.js";
import { countOf, directoryOf, embeddingOf, objectOf } from "./flag-values.js";
import { createProgress, type Progress } from "./progress.js";
import type { Terminal } from "./terminal.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

/** Names of files that are shown of many that were left out for one reason. */
const NAMES_SHOWN = 5;

/** `lorebase sync`: makes a namespace hold what a folder holds, once or for as long as it runs. */
export const syncCommand: Command = {
  name: "sync",
  summary: "keep a namespace in step with a folder",
  usage: "<folder>",
  operands: { min: 1, max: 1 },
  flags: [
    "directory",
    "namespace",
    "tenant",
    "include",
    "exclude",
    "source",
    "delete-excluded",
    "allow-empty",
    "watch",
    "embedding",
    "model",
    "metadata",
    "chunk-size",
  ],
  async run({ operands, flags, terminal }) {
    const embedding = embeddingOf(flags);
    const { signal } = terminal;
    const options = {
      metadata: objectOf("metadata", flags.metadata),
      chunkSize: countOf("chunk-size", flags["chunk-size"]),
      signal,
    };
    const { include, exclude, source } = flags;
    const deletes = { deleteExcluded: flags["delete-excluded"], allowEmpty: flags["allow-empty"] };
    const folder = { dir: operands[0]!, include, exclude, source, ...deletes };
    const progress = createProgress(terminal);
    return withKnowledgeBase({ directory: directoryOf(flags, terminal) }, terminal, progress, async (kb) => {
      const namespace = await namespaceFor(kb, flags.namespace ?? "default", embedding);
      const whole = kb.namespace(namespace.id);
      const handle = flags.tenant === undefined ? whole : whole.tenant(flags.tenant);
      kb.on("sync.progress", ({ copied, total }) => {
        progress.update({ label: "reading", done: copied, total, detail: "files" });
      });
      kb.on("error", ({ error }) => {
        progress.end();
        terminal.err(`${error instanceof Error ? error.message : error}\n`);
      });
      let started = performance.now();
      const end = async (run: SyncRun<Metadata>) => {
        const { result, documentIds } = await follow(run, progress, signal);
        return outcome(namespace, result, await warningsOf(handle, result, documentIds), started);
      };
      if (!flags.watch) return end(await handle.sync(folder, options));
      const say = async (run: SyncRun<Metadata>) => {
        const { json, text } = await end(run);
        terminal.out(flags.json ? JSON.stringify(json) : text);
      };
      return watch(handle, { folder, options, terminal }, async (run) => {
        await say(run);
        started = performance.now();
      });
    });
  },
};

/** Until Ctrl-C, which is how it ends in good order. */
async function watch(
  handle: NamespaceHandle,
  {
    folder,
    options,
    terminal,
  }: {
    readonly folder: Parameters<NamespaceHandle["watch"]>[0];
    readonly options: Parameters<NamespaceHandle["watch"]>[1];
    readonly terminal: Terminal;
  },
  each: (run: SyncRun<Metadata>) => Promise<void>,
): Promise<0> {
  try {
    for await (const run of handle.watch(folder, options)) await each(run);
  } catch (error) {
    if (!terminal.signal.aborted || !isAbortError(error)) throw error;
  }
  return 0;
}

/** Ctrl-C ends the waiting; what is queued is taken up by the next sync. */
async function follow(run: SyncRun<Metadata>, progress: Progress, signal: AbortSignal) {
  const total = [run.changes.added, run.changes.changed, run.changes.renamed, run.changes.retried].reduce(
    (sum, { length }) => sum + length,
    0,
  );
  let done = 0;
  /** Of those that this sync has made. */
  const documentIds = new Set<string>();
  for await (const event of run.events({ signal })) {
    if (event.type === "document.status" && ["COMPLETED", "FAILED"].includes(event.status)) {
      done++;
      if (event.status === "COMPLETED") documentIds.add(event.documentId);
    }
    progress.update({ label: "ingesting", done: Math.min(done, total), total, detail: "files" });
  }
  const result = await run.done({ signal });
  progress.end();
  return { result, documentIds };
}

interface FileWarning {
  readonly documentId: string;
  readonly name: string | null;
  readonly warning: string;
}

async function warningsOf(
  handle: NamespaceHandle,
  { jobs }: SyncResult<Metadata>,
  documentIds: ReadonlySet<string>,
): Promise<readonly FileWarning[]> {
  if (documentIds.size === 0) return [];
  const documents = await documentsOf(handle, jobs);
  return documents.flatMap(({ id, name, warnings }) =>
    documentIds.has(id) ? warnings.map((warning) => ({ documentId: id, name, warning })) : [],
  );
}

function outcome(
  namespace: Namespace,
  result: SyncResult<Metadata>,
  warnings: readonly FileWarning[],
  started: number,
): Outcome & { readonly json: object } {
  const { added, changed, renamed, retried, deleted, unchanged, excluded, skipped, failed, jobs } = result;
  const seconds = (performance.now() - started) / 1000;
  const counts = { added, changed, renamed, retried, deleted, unchanged, excluded };
  const counted = Object.entries(counts)
    .filter(([name, { length }]) => length > 0 || name === "unchanged")
    .map(([name, { length }]) => `${length} ${name}`);
  const { provider, model } = namespace.embeddingConfig;
  const lines = [
    ...failed.map(({ path, error }) => `failed   ${path}: ${error}`),
    ...skippedLines(skipped),
    ...warnings.map(({ documentId, name, warning }) => `warning  ${name ?? documentId}: ${warning}`),
    `${counted.join(", ")} in ${seconds.toFixed(1)} s`,
    `namespace ${namespace.slug} (${[provider, model].filter(Boolean).join(", ")})`,
  ];
  return {
    json: {
      namespace: { id: namespace.id, slug: namespace.slug, embeddingConfig: namespace.embeddingConfig },
      ...counts,
      skipped,
      failed,
      warnings,
      jobs: jobs.map(({ id, status, error, counts }) => ({ id, status, error, counts })),
      seconds,
    },
    text: lines.join("\n"),
    exitCode: failed.length > 0 ? 1 : 0,
  };
}

/** A line for each reason that has nothing of its file's own in it. */
function skippedLines(skipped: readonly SkippedFile[]): string[] {
  const byMessage = new Map<string, string[]>();
  for (const { path, message } of skipped) byMessage.set(message, [...(byMessage.get(message) ?? []), path]);
  return [...byMessage].map(([message, paths]) => {
    const more = paths.length > NAMES_SHOWN ? ` and ${paths.length - NAMES_SHOWN} more` : "";
    return `skipped  ${paths.slice(0, NAMES_SHOWN).join(", ")}${more}: ${message}`;
  });
}
