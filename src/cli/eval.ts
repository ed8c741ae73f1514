import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { evaluate } from "../evaluate/evaluate.js";
import { evaluateCollection } from "../evaluate/evaluate-collection.js";
import { type GoldenSet, goldenSetSchema } from "../evaluate/golden-questions.js";
import type { EvaluationProgress } from "../evaluate/measure.js";
import { DEFAULT_MEASURES } from "../evaluate/measures.js";
import { readCollection } from "../evaluate/read-collection.js";
import { readYaml } from "../evaluate/read-yaml.js";
import type { Command, Invocation } from "./command.js";
import { gateOf, type JudgedReport, judgeReport } from "./eval-gate.js";
import { collectionText, goldenText } from "./eval-report.js";
import { settingsOf } from "./eval-settings.js";
import { directoryOf, embeddingOf, existingDirectoryOf } from "./flag-values.js";
import { rerankingOf } from "./parse-reranker-flags.js";
import { createProgress } from "./progress.js";
import { UsageError } from "./usage-error.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

/** `lorebase eval`: search quality on a test collection, in a temporary knowledge base, or on one's own content by golden questions. */
export const evalCommand: Command = {
  name: "eval",
  summary: "measure search quality on a BEIR collection or by golden questions",
  usage: "<path>",
  operands: { min: 1, max: 1 },
  flags: [
    "directory",
    "namespace",
    "tenant",
    "mode",
    "settings",
    "embedding",
    "model",
    "reranker",
    "baseline",
    "max-drop",
    "fail-below",
  ],
  async run(invocation) {
    const path = invocation.operands[0]!;
    const { json, text } = isFile(path)
      ? await evaluateQuestions(path, invocation)
      : await evaluateFolder(path, invocation);
    for (const { message } of json.failures) invocation.terminal.err(`lorebase: ${message}\n`);
    return { json, text, exitCode: json.failures.length > 0 ? 1 : 0 };
  },
};

/** What cannot be read is told of by whoever reads it. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? /\.(ya?ml|json)$/.test(path);
}

interface Judged {
  readonly json: JudgedReport;
  readonly text: string;
}

async function evaluateFolder(path: string, { flags, terminal }: Invocation): Promise<Judged> {
  refuse(flags.namespace, "--namespace", "a collection is ingested for its evaluation");
  refuse(flags.tenant, "--tenant", "a collection is ingested for its evaluation");
  const embeddingConfig = embeddingOf(flags);
  const gate = await gateOf(flags);
  const settings = await settingsOf(flags);
  const collection = await readCollection(path);
  const directory = await mkdtemp(join(tmpdir(), "lorebase-eval-"));
  const progress = createProgress(terminal);
  try {
    // Models outlive the evaluation: they are looked for where the other commands keep them.
    const modelsDirectory = join(directoryOf(flags, terminal), "models");
    const reranking = rerankingOf(flags, terminal);
    const report = await withKnowledgeBase({ directory, modelsDirectory, ...reranking }, terminal, progress, (kb) =>
      evaluateCollection(kb, collection, {
        settings,
        embeddingConfig,
        measures: measuresOf(gate),
        signal: terminal.signal,
        onProgress: showOn(progress),
      }),
    );
    const judged = await judgeReport(report, gate);
    return { json: judged, text: collectionText(report, judged) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function evaluateQuestions(path: string, { flags, terminal }: Invocation): Promise<Judged> {
  refuse(flags.embedding, "--embedding", "golden questions are asked of content that is there");
  refuse(flags.model, "--model", "golden questions are asked of content that is there");
  const gate = await gateOf(flags);
  const chosen = await settingsOf(flags);
  const { questions, settings, name, ...where } = (await readYaml(path, goldenSetSchema)) as GoldenSet;
  const namespace = flags.namespace ?? where.namespace ?? "default";
  const tenant = flags.tenant ?? where.tenant;
  const directory = existingDirectoryOf(flags, terminal);
  const progress = createProgress(terminal);
  // Searching alone needs no worker: it would take up jobs that another process left behind.
  const reranking = rerankingOf(flags, terminal);
  const report = await withKnowledgeBase({ directory, worker: false, ...reranking }, terminal, progress, (kb) => {
    const whole = kb.namespace(namespace);
    const handle = tenant === undefined ? whole : whole.tenant(tenant);
    return evaluate(handle, questions, {
      namespace: (ref) => (tenant === undefined ? kb.namespace(ref) : kb.namespace(ref).tenant(tenant)),
      settings: chosen ?? settings,
      measures: measuresOf(gate),
      signal: terminal.signal,
      onProgress: showOn(progress),
    });
  });
  const named = { name: name ?? basename(path), namespace, ...report };
  const judged = await judgeReport(named, gate);
  return { json: judged, text: goldenText(named, judged) };
}

function refuse(value: string | undefined, flag: string, why: string): void {
  if (value !== undefined) throw new UsageError(`${flag} means nothing here: ${why}`);
}

/** What is always measured, and what a limit is for. */
function measuresOf({ limits }: Awaited<ReturnType<typeof gateOf>>): readonly string[] {
  return [...new Set([...DEFAULT_MEASURES, ...limits.map(({ measure }) => measure)])];
}

function showOn(progress: ReturnType<typeof createProgress>): (step: EvaluationProgress) => void {
  return ({ phase, done, total }) =>
    progress.update({ label: phase.padEnd(8), done, total, detail: phase === "ingest" ? "documents" : "questions" });
}
