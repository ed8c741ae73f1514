import { isAbortError } from "../errors.js";
import type { NamespaceHandle, SkippedFile, SyncResult, SyncRun } from "../index.js";
import type { Metadata, Namespace } from "../types.js";
import type { Command, Outcome } from "./command.js";
import { parseIngestFlags } from "./flag-values.js";
import { INGEST_FLAGS, NAMESPACE_FLAGS } from "./flags.js";
import { buildCommonJson, describeNamespace, listDocuments } from "./ingest-outcome.js";
import type { Progress } from "./progress.js";
import { withTargetNamespace } from "./with-namespace.js";

/** The maximum number of files named for each reason why files were skipped. */
const MAX_NAMES_SHOWN = 5;

export const syncCommand: Command = {
  name: "sync",
  summary: "keep a namespace in sync with a folder",
  usage: "<folder>",
  operands: { min: 1, max: 1 },
  flags: [
    ...NAMESPACE_FLAGS,
    "include",
    "exclude",
    "source",
    "delete-excluded",
    "allow-empty",
    "watch",
    ...INGEST_FLAGS,
  ],
  async run(invocation) {
    const { operands, flags, terminal } = invocation;
    const { signal } = terminal;
    const { embeddingConfig, config } = parseIngestFlags(flags);
    const options = { ...config, signal };
    const { include, exclude, source } = flags;
    const deleteOptions = { deleteExcluded: flags["delete-excluded"], allowEmpty: flags["allow-empty"] };
    const folder = { dir: operands[0]!, include, exclude, source, ...deleteOptions };
    return withTargetNamespace(invocation, embeddingConfig, async ({ kb, namespace, handle, progress }) => {
      kb.on("sync.progress", ({ copied, total }) => {
        progress.update({ label: "reading", done: copied, total, detail: "files" });
      });
      kb.on("error", ({ error }) => {
        progress.end();
        terminal.err(`${error instanceof Error ? error.message : error}\n`);
      });
      let startTime = performance.now();
      const finish = async (run: SyncRun<Metadata>) => {
        const { result, documentIds } = await followSync(run, progress, signal);
        return buildSyncOutcome(namespace, result, await collectWarnings(handle, result, documentIds), startTime);
      };
      if (!flags.watch) return finish(await handle.sync(folder, options));
      try {
        for await (const run of handle.watch(folder, options)) {
          const { json, text } = await finish(run);
          terminal.out(flags.json ? JSON.stringify(json) : text);
          startTime = performance.now();
        }
      } catch (error) {
        // Ctrl-C is the normal way to stop watching.
        if (!signal.aborted || !isAbortError(error)) throw error;
      }
      return 0;
    });
  },
};

/** Follows a sync until it ends. Ctrl-C only ends the wait: the next sync runs the queued jobs. */
async function followSync(run: SyncRun<Metadata>, progress: Progress, signal: AbortSignal) {
  const { added, changed, renamed, retried } = run.changes;
  const total = added.length + changed.length + renamed.length + retried.length;
  let done = 0;
  /** The documents that this sync has completed. */
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

interface DocumentWarning {
  readonly documentId: string;
  readonly name: string | null;
  readonly warning: string;
}

async function collectWarnings(
  handle: NamespaceHandle,
  { jobs }: SyncResult<Metadata>,
  documentIds: ReadonlySet<string>,
): Promise<readonly DocumentWarning[]> {
  if (documentIds.size === 0) return [];
  const documents = await listDocuments(handle, jobs);
  return documents.flatMap(({ id, name, warnings }) =>
    documentIds.has(id) ? warnings.map((warning) => ({ documentId: id, name, warning })) : [],
  );
}

function buildSyncOutcome(
  namespace: Namespace,
  result: SyncResult<Metadata>,
  warnings: readonly DocumentWarning[],
  startTime: number,
): Outcome & { readonly json: object } {
  const { added, changed, renamed, retried, deleted, unchanged, excluded, skipped, failed, jobs } = result;
  const seconds = (performance.now() - startTime) / 1000;
  const files = { added, changed, renamed, retried, deleted, unchanged, excluded };
  const counts = Object.entries(files)
    .filter(([name, { length }]) => length > 0 || name === "unchanged")
    .map(([name, { length }]) => `${length} ${name}`);
  const lines = [
    ...failed.map(({ path, error }) => `failed   ${path}: ${error}`),
    ...formatSkippedLines(skipped),
    ...warnings.map(({ documentId, name, warning }) => `warning  ${name ?? documentId}: ${warning}`),
    `${counts.join(", ")} in ${seconds.toFixed(1)} s`,
    describeNamespace(namespace),
  ];
  return {
    json: { ...buildCommonJson(namespace, jobs), ...files, skipped, failed, warnings, seconds },
    text: lines.join("\n"),
    exitCode: failed.length > 0 ? 1 : 0,
  };
}

/** Returns one line for each reason why files were skipped. */
function formatSkippedLines(skipped: readonly SkippedFile[]): string[] {
  const pathsByMessage = new Map<string, string[]>();
  for (const { path, message } of skipped) pathsByMessage.set(message, [...(pathsByMessage.get(message) ?? []), path]);
  return [...pathsByMessage].map(([message, paths]) => {
    const more = paths.length > MAX_NAMES_SHOWN ? ` and ${paths.length - MAX_NAMES_SHOWN} more` : "";
    return `skipped  ${paths.slice(0, MAX_NAMES_SHOWN).join(", ")}${more}: ${message}`;
  });
}
