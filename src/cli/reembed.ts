import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type KnowledgeBase,
  KnowledgeBaseError,
  type NamespaceHandle,
  type NewVectors,
  type Reembedding,
  type ReembeddingEstimate,
} from "../index.js";
import { formatCount } from "./columns.js";
import type { Command, Invocation, Outcome } from "./command.js";
import { parseSettingFlags } from "./eval.js";
import { formatModelsText } from "./eval-report.js";
import { parseCount, parseEmbeddingFlags } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { UsageError } from "./usage-error.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";

/** How often the state is read while the work is done. */
const POLL_MS = 250;
const FLAGS = [...STORAGE_FLAGS, "organization"] as const;
const OPERANDS = { usage: "<slug or id>", operands: { min: 1, max: 1 } } as const;

export const reembedCommands: readonly Command[] = [
  {
    name: "namespaces reembed",
    summary: "change the model or vector store, or continue to",
    ...OPERANDS,
    flags: [...FLAGS, "embedding", "model", "vector-store", "chunks-per-second", "cut-over", "estimate"],
    run: (invocation) => withNamespace(invocation, (kb, handle) => reembed(kb, handle, invocation)),
  },
  {
    name: "namespaces evaluate",
    summary: "compare both models of a namespace before the cut-over",
    details: [
      "Compares them by golden questions, by clicks, and by a sample of queries, which a server keeps if its",
      "knowledge base has the option retention.sampledQueryDays: lorebase serve keeps none.",
    ].join("\n"),
    ...OPERANDS,
    flags: [...FLAGS, "mode", "settings", "queries"],
    async run(invocation) {
      const settings = await parseSettingFlags(invocation.flags);
      const queries = parseCount("queries", invocation.flags.queries, 1000, 0);
      return withNamespace(invocation, async (_, handle) => {
        const evaluation = await handle.reembedding.evaluate({
          ...{ settings, queries, signal: invocation.terminal.signal },
        });
        return { json: evaluation, text: formatModelsText(evaluation) };
      });
    },
  },
  {
    name: "namespaces cut-over",
    summary: "let searches use the new vectors, and keep the old ones",
    ...OPERANDS,
    flags: [...FLAGS, "ignore-guard"],
    run: (invocation) =>
      withNamespace(invocation, async (kb, handle) => {
        await handle.reembedding.cutOver({ ignoreGuard: invocation.flags["ignore-guard"] });
        return completed(kb, handle, invocation);
      }),
  },
  {
    name: "namespaces rollback",
    summary: "let searches use the old vectors again",
    ...OPERANDS,
    flags: FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (kb, handle) => {
        await handle.reembedding.rollback();
        return completed(kb, handle, invocation);
      }),
  },
  {
    name: "namespaces discard",
    summary: "remove the vectors that searches don't use",
    ...OPERANDS,
    flags: [...FLAGS, "yes", "abandon-store"],
    run: (invocation) =>
      withNamespace(invocation, async (kb, handle) => {
        if (!invocation.flags.yes)
          throw new UsageError(
            "namespaces discard removes vectors that cost time to compute again: confirm it with --yes",
          );
        await handle.reembedding.discard({ abandonStore: invocation.flags["abandon-store"] });
        return completed(kb, handle, invocation);
      }),
  },
];

function withNamespace(invocation: Invocation, run: (kb: KnowledgeBase, handle: NamespaceHandle) => Promise<Outcome>) {
  const { organization } = invocation.flags;
  return withExistingKnowledgeBase(invocation, (kb) => {
    const owner = organization === undefined ? kb : kb.organization(organization);
    return run(kb, owner.namespace(invocation.operands[0]!));
  });
}

async function reembed(kb: KnowledgeBase, handle: NamespaceHandle, invocation: Invocation): Promise<Outcome> {
  const { flags } = invocation;
  const embeddingConfig = parseEmbeddingFlags(flags);
  const vectorStoreConfig = await parseVectorStore(flags["vector-store"]);
  const chunksPerSecond = parseCount("chunks-per-second", flags["chunks-per-second"]);
  if (!embeddingConfig && !vectorStoreConfig) {
    if (flags.estimate || flags["cut-over"] || chunksPerSecond !== undefined)
      throw new UsageError("--estimate, --cut-over and --chunks-per-second need --embedding or --vector-store");
    if (await handle.reembedding.get()) await handle.reembedding.resume();
    return completed(kb, handle, invocation);
  }
  const given = { embeddingConfig, vectorStoreConfig };
  if (flags.estimate) {
    const estimate = await handle.reembedding.estimate(given);
    return { json: estimate, text: describeEstimate(estimate) };
  }
  await handle.reembedding.start(given, { chunksPerSecond, cutOver: flags["cut-over"] ? "automatic" : "manual" });
  return completed(kb, handle, invocation);
}

/** Reads the configuration of a vector store: the name of a provider that needs no more, or a JSON file. */
async function parseVectorStore(value: string | undefined): Promise<NewVectors["vectorStoreConfig"]> {
  if (!value?.endsWith(".json")) return value === undefined ? undefined : { provider: value };
  try {
    return JSON.parse(await readFile(value, "utf8"));
  } catch (error) {
    throw new UsageError(`--vector-store: ${value} can't be read as JSON: ${(error as Error).message}`);
  }
}

/** Does the queued work, and shows the state in which it ends. */
async function completed(
  kb: KnowledgeBase,
  handle: NamespaceHandle,
  { terminal: { signal } }: Invocation,
): Promise<Outcome> {
  const isDone = await drain(kb, handle, signal);
  const { reembedding: resource } = handle;
  const reembedding = await (isDone ? resource.wait({ signal }) : resource.get({ signal }));
  return {
    json: { reembedding },
    text: reembedding ? describe(reembedding) : "the namespace has one set of vectors only",
    exitCode: isDone && !reembedding?.isStopped ? 0 : 1,
  };
}

/** Does the queued work. Returns false as soon as this process can't, such as without a driver of the model. */
async function drain(kb: KnowledgeBase, handle: NamespaceHandle, signal: AbortSignal): Promise<boolean> {
  const problems = new Set<string>();
  const subscription = kb.on("error", ({ error }) => {
    if (KnowledgeBaseError.is(error, "not_ready")) problems.add(error.message);
  });
  const givingUp = new AbortController();
  const drained = kb.drain({ signal: AbortSignal.any([signal, givingUp.signal]) }).then(() => true);
  try {
    while (!(await Promise.race([drained, sleep(POLL_MS, false, { signal })]))) {
      const reembedding = await handle.reembedding.get({ signal });
      // The problem may be that of another task.
      if (!problems.has(reembedding?.error ?? "")) continue;
      givingUp.abort();
      await drained.catch(() => {});
      return false;
    }
    return true;
  } finally {
    subscription[Symbol.dispose]();
  }
}

function describe(reembedding: Reembedding): string {
  const { error, isStopped } = reembedding;
  const state = describeState(reembedding);
  if (error === null) return state;
  return `${state}; ${isStopped ? "stopped" : "last error"}: ${error}`;
}

function describeState({ state, embeddingConfig, vectorStoreConfig, embedded, total }: Reembedding): string {
  const model = [embeddingConfig.provider, embeddingConfig.model].filter(Boolean).join(", ");
  const vectors = `${model} in ${vectorStoreConfig.provider}`;
  if (state === "cut_over") return `searches use the new vectors; those of ${vectors} are kept for a rollback`;
  const progress = `${embedded} of ${formatCount(total, "passage")} embedded by ${vectors}`;
  return state === "ready" ? `${progress}; searches use the old vectors until namespaces cut-over` : progress;
}

function describeEstimate({ chunks, tokens, characters, dimensions, vectorBytes }: ReembeddingEstimate): string {
  const size = `${(vectorBytes / 2 ** 20).toFixed(1)} MiB`;
  return `${formatCount(chunks, "passage")}, ${tokens} tokens, ${characters} characters; vectors of ${dimensions} dimensions, ${size}`;
}
