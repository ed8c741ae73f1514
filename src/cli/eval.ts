import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import { evaluate } from "../evaluate/evaluate.js";
import { type GoldenSet, goldenSetSchema } from "../evaluate/golden-questions.js";
import type { MeasureOptions } from "../evaluate/measure.js";
import { DEFAULT_MEASURES } from "../evaluate/metrics.js";
import { readCollection } from "../evaluate/read-collection.js";
import { readYaml } from "../evaluate/read-yaml.js";
import { DEFAULT_SETTINGS, EVALUATION_MODES, type EvaluationSetting, settingSchema } from "../evaluate/settings.js";
import { z } from "../vendor/zod.js";
import type { Command, Invocation } from "./command.js";
import { applyGate, type Gate, type GatedReport, parseGateFlags } from "./eval-gate.js";
import { formatCollectionText, formatGoldenText } from "./eval-report.js";
import { evaluateCollection } from "./evaluate-collection.js";
import { parseChoice, parseEmbeddingFlags, resolveDirectory } from "./flag-values.js";
import type { FlagName, FlagValues } from "./flags.js";
import { namingOthers } from "./missing-namespace.js";
import { parseRerankerFlags } from "./parse-reranker-flags.js";
import type { Progress } from "./progress.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import { withExistingKnowledgeBase, withKnowledgeBase } from "./with-knowledge-base.js";
import { getNamespaceHandle } from "./with-namespace.js";

const GOLDEN_FILE_EXAMPLE = [
  "namespace: handbook",
  "questions:",
  "  - question: When is the lamp lit?",
  "    answers:",
  "      - document: manual.pdf",
  "        contains: thirty minutes before sunset",
].join("\n");

/** Evaluates a test collection in a temporary knowledge base, or an existing namespace with golden questions. */
export const evalCommand: Command = {
  name: "eval",
  summary: "measure search quality on a BEIR collection or with golden questions",
  details: [
    "<path> is a folder in the BEIR layout (corpus.jsonl, queries.jsonl, qrels.tsv), or a YAML or",
    "JSON file of golden questions such as",
    "",
    GOLDEN_FILE_EXAMPLE.replaceAll(/^/gm, "  "),
    "",
    "An answer has at least one of document (name or id), externalId and contains; page and grade",
    "are optional.",
  ].join("\n"),
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
    const evaluatePath = isFile(path) ? evaluateQuestions : evaluateFolder;
    const { json, text } = await evaluatePath(path, invocation);
    for (const { message } of json.failures) invocation.terminal.err(`lorebase: ${message}\n`);
    return { json, text, exitCode: json.failures.length > 0 ? 1 : 0 };
  },
};

/** Returns whether a path is a file. A missing path is classified by its extension; reading it then fails. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? /\.(ya?ml|json)$/.test(path);
}

interface GatedOutcome {
  readonly json: GatedReport;
  readonly text: string;
}

async function evaluateFolder(path: string, { flags, terminal }: Invocation): Promise<GatedOutcome> {
  refuseFlags(flags, ["namespace", "tenant"], "a collection is ingested into a namespace of its own");
  const embeddingConfig = parseEmbeddingFlags(flags);
  const gate = await parseGateFlags(flags);
  const settings = await parseSettingFlags(flags);
  const collection = await readCollection(path);
  const directory = await mkdtemp(join(tmpdir(), "lorebase-eval-"));
  try {
    // Models are stored where the other commands look for them, so they are kept after the evaluation.
    const modelsDirectory = join(resolveDirectory(flags, terminal), "models");
    const options = { directory, modelsDirectory, ...parseRerankerFlags(flags, terminal) };
    const report = await withKnowledgeBase(options, terminal, (kb, progress) =>
      evaluateCollection(kb, collection, { settings, embeddingConfig, ...measureOptions(gate, terminal, progress) }),
    );
    const json = await applyGate(report, gate);
    return { json, text: formatCollectionText(json) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function evaluateQuestions(path: string, invocation: Invocation): Promise<GatedOutcome> {
  const { flags, terminal } = invocation;
  refuseFlags(flags, ["embedding", "model"], "golden questions are about content that is already embedded");
  const gate = await parseGateFlags(flags);
  const flagSettings = await parseSettingFlags(flags);
  const { questions, settings, name, ...target } = await readGoldenSet(path);
  const namespace = flags.namespace ?? target.namespace ?? "default";
  const tenant = flags.tenant ?? target.tenant;
  const report = await withExistingKnowledgeBase(
    invocation,
    (kb, progress) => {
      const getHandle = (ref: string) => getNamespaceHandle(kb, ref, tenant);
      return namingOthers(kb, namespace, () =>
        evaluate(getHandle(namespace), questions, {
          namespace: getHandle,
          settings: flagSettings ?? settings,
          ...measureOptions(gate, terminal, progress),
        }),
      );
    },
    parseRerankerFlags(flags, terminal),
  );
  const json = await applyGate({ name: name ?? basename(path), namespace, ...report }, gate);
  return { json, text: formatGoldenText(json) };
}

/** @throws KnowledgeBaseError as {@link readYaml}; `invalid_input` shows the form of the file. */
async function readGoldenSet(path: string): Promise<GoldenSet> {
  try {
    return (await readYaml(path, goldenSetSchema)) as GoldenSet;
  } catch (cause) {
    if (!KnowledgeBaseError.is(cause, "invalid_input")) throw cause;
    const message = `${cause.message}\nA file of golden questions has this form:\n\n${GOLDEN_FILE_EXAMPLE}`;
    throw new KnowledgeBaseError("invalid_input", message, { issues: cause.issues, cause });
  }
}

function refuseFlags(flags: FlagValues, names: readonly FlagName[], reason: string): void {
  const refused = names.find((name) => flags[name] !== undefined);
  if (refused) throw new UsageError(`--${refused} cannot be used here: ${reason}`);
}

/** Returns the settings given on the command line; `undefined` if there are none. */
export async function parseSettingFlags(flags: FlagValues): Promise<readonly EvaluationSetting[] | undefined> {
  const mode = parseChoice("mode", flags.mode, [...EVALUATION_MODES, "all"] as const);
  if (flags.settings === undefined) {
    if (mode === undefined) return undefined;
    return mode === "all" ? DEFAULT_SETTINGS : [{ name: mode, mode }];
  }
  if (mode !== undefined) throw new UsageError("--mode and --settings are mutually exclusive: use only one");
  return readYaml(flags.settings, z.array(settingSchema).min(1)) as Promise<readonly EvaluationSetting[]>;
}

function measureOptions({ limits }: Gate, { signal }: Terminal, progress: Progress): MeasureOptions {
  return {
    measures: [...new Set([...DEFAULT_MEASURES, ...limits.map(({ measure }) => measure)])],
    signal,
    onProgress({ phase, done, total }) {
      const detail = phase === "ingest" ? "documents" : "questions";
      progress.update({ label: phase.padEnd(8), done, total, detail });
    },
  };
}
