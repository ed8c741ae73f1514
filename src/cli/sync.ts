import { isAbortError } from "../errors.js";
import type { NamespaceHandle, SkippedFile, SyncResult, SyncRun } from "../index.js";
import type { Metadata, Namespace } from "../types.js";
import type { Command, Outcome } from "./command.js";
import { countOf, directoryOf, embeddingOf, objectOf } from "./flag-values.js";
import { namespaceFor } from "./namespace-for.js";
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
      if (!flags.watch)
        return outcome(namespace, await follow(await handle.sync(folder, options), progress, signal), started);
      const say = (run: SyncRun<Metadata>) =>
        follow(run, progress, signal).then((result) => {
          const { json, text } = outcome(namespace, result, started);
          terminal.out(flags.json ? JSON.stringify(json) : text);
        });
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
async function follow(run: SyncRun<Metadata>, progress: Progress, signal: AbortSignal): Promise<SyncResult<Metadata>> {
  const total = [run.changes.added, run.changes.changed, run.changes.renamed, run.changes.retried].reduce(
    (sum, { length }) => sum + length,
    0,
  );
  let done = 0;
  for await (const event of run.events({ signal })) {
    if (event.type === "document.status" && ["COMPLETED", "FAILED"].includes(event.status)) done++;
    progress.update({ label: "ingesting", done: Math.min(done, total), total, detail: "files" });
  }
  const result = await run.done({ signal });
  progress.end();
  return result;
}

function outcome(namespace: Namespace, result: SyncResult<Metadata>, started: number): Outcome {
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
    `${counted.join(", ")} in ${seconds.toFixed(1)} s`,
    `namespace ${namespace.slug} (${[provider, model].filter(Boolean).join(", ")})`,
  ];
  return {
    json: {
      namespace: { id: namespace.id, slug: namespace.slug, embeddingConfig: namespace.embeddingConfig },
      ...counts,
      skipped,
      failed,
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
