import { type GoldenSet, goldenSetSchema } from "../evaluate/golden-questions.js";
import { readYaml } from "../evaluate/read-yaml.js";
import type {
  EvaluationSummary,
  GeneratedQuestionCounts,
  GoldenGuard,
  GoldenQuestionCounts,
  GoldenQuestionStatus,
  NamespaceHandle,
  StoredGoldenQuestion,
} from "../index.js";
import { collect } from "../util/collect.js";
import { GOLDEN_STATUSES, MAX_GOLDEN_QUESTIONS } from "../validation/golden-question-schema.js";
import { formatColumns, formatCount } from "./columns.js";
import type { Command, Invocation, Outcome } from "./command.js";
import { parseSettingFlags } from "./eval.js";
import { formatComparisonText, formatGoldenText } from "./eval-report.js";
import { parseChoice, parseCount } from "./flag-values.js";
import { type FlagName, NAMESPACE_FLAGS } from "./flags.js";
import { UsageError } from "./usage-error.js";
import { withNamespace } from "./with-namespace.js";

export const goldenCommands: readonly Command[] = [
  {
    name: "golden list",
    summary: "show the golden questions of a namespace, oldest first",
    flags: [...NAMESPACE_FLAGS, "status"],
    run: (invocation) =>
      withNamespace(invocation, async (handle, namespace) => {
        const status = parseChoice("status", invocation.flags.status, GOLDEN_STATUSES);
        const questions = await listQuestions(handle, status, invocation.terminal.signal);
        const text =
          questions.length === 0 ? `no golden questions in ${namespace}` : formatColumns(questions.map(toRow));
        return { json: { namespace, questions }, text };
      }),
  },
  {
    name: "golden import",
    summary: "add the questions of a file, and replace those with the same ids",
    usage: "<file>",
    operands: { min: 1, max: 1 },
    flags: NAMESPACE_FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (handle, namespace) => {
        const { questions } = (await readYaml(invocation.operands[0]!, goldenSetSchema)) as GoldenSet;
        const counts = await handle.goldenQuestions.import(questions);
        const { added, replaced, unchanged } = counts;
        const text = `${formatCount(added, "golden question")} added to ${namespace}, ${replaced} replaced, ${unchanged} unchanged`;
        return { json: { namespace, ...counts }, text };
      }),
  },
  {
    name: "golden export",
    summary: "print the golden questions as a file for eval and for golden import",
    details: "Prints the active ones, unless --status names another status.",
    flags: [...NAMESPACE_FLAGS, "status"],
    run: (invocation) =>
      withNamespace(invocation, async (handle, namespace) => {
        const status = parseChoice("status", invocation.flags.status, GOLDEN_STATUSES) ?? "active";
        const stored = await listQuestions(handle, status, invocation.terminal.signal);
        const questions = stored
          .filter(({ tenantId }) => tenantId === handle.tenantId)
          .map(({ key, question, answers }) => ({ ...(key !== question && { id: key }), question, answers }));
        if (questions.length === 0)
          invocation.terminal.err(`no ${status} golden questions in ${namespace}: golden import refuses this file\n`);
        const { tenant } = invocation.flags;
        const json = { namespace, ...(tenant !== undefined && { tenant }), questions };
        const { stringify } = await import("yaml");
        return { json, text: stringify(json, { lineWidth: 0 }).trimEnd() };
      }),
  },
  createMakeCommand(
    "golden from-feedback",
    "make drafts of the questions whose answers were rated up",
    [],
    (handle, { terminal }) => handle.goldenQuestions.fromFeedback({ signal: terminal.signal }),
  ),
  createMakeCommand(
    "golden from-clicks",
    "make drafts of the clicks that were reported",
    ["min-clicks"],
    (handle, { flags, terminal }) =>
      handle.goldenQuestions.fromClicks({
        minClicks: parseCount("min-clicks", flags["min-clicks"]),
        signal: terminal.signal,
      }),
  ),
  createMakeCommand(
    "golden generate",
    "make drafts of headings and definitions, or by a language model",
    ["limit", "per-document", "after", "use-llm"],
    (handle, { flags, terminal }) =>
      handle.goldenQuestions.generate({
        limit: parseCount("limit", flags.limit),
        perDocument: parseCount("per-document", flags["per-document"]),
        after: flags.after,
        useLlm: flags["use-llm"],
        signal: terminal.signal,
      }),
  ),
  {
    name: "golden eval",
    summary: "measure search by the active golden questions, and keep the result",
    flags: [...NAMESPACE_FLAGS, "mode", "settings", "name"],
    async run(invocation) {
      const { flags, terminal } = invocation;
      const settings = await parseSettingFlags(flags);
      return withNamespace(invocation, async (handle, namespace) => {
        const evaluation = await handle.evaluations.run({ settings, name: flags.name, signal: terminal.signal });
        const { id, skipped } = evaluation;
        for (const { id: key, reason } of skipped) terminal.err(`left out: ${key}: ${reason}\n`);
        const report = { ...evaluation, name: id, namespace, failures: [], baseline: null };
        return { json: evaluation, text: formatGoldenText(report) };
      });
    },
  },
  {
    name: "golden compare",
    summary: "compare an evaluation with an earlier one, question by question",
    usage: "<id> <earlier id>",
    operands: { min: 2, max: 2 },
    flags: NAMESPACE_FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (handle) => {
        const [id, earlier] = invocation.operands as [string, string];
        const comparison = await handle.evaluations.compare(id, earlier);
        return { json: comparison, text: formatComparisonText(comparison) };
      }),
  },
  {
    name: "golden history",
    summary: "show the evaluations of the golden questions, newest first",
    flags: NAMESPACE_FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (handle, namespace) => {
        const evaluations = await collect(handle.evaluations.iterate({ signal: invocation.terminal.signal }));
        const text =
          evaluations.length === 0
            ? `no evaluations of ${namespace}`
            : formatColumns(evaluations.flatMap((evaluation) => toEvaluationRows(evaluation)));
        return { json: { namespace, evaluations }, text };
      }),
  },
  {
    name: "golden guard",
    summary: "show, set or remove what a new embedding model must not make worse",
    details: "on lets namespaces cut-over refuse a model that makes the golden questions significantly worse.",
    usage: "[on|off]",
    operands: { min: 0, max: 1 },
    flags: [...NAMESPACE_FLAGS, "mode", "settings"],
    async run(invocation) {
      const [change] = invocation.operands;
      if (change !== undefined && change !== "on" && change !== "off")
        throw new UsageError(`golden guard takes on or off, not "${change}"`);
      const settings = await parseSettingFlags(invocation.flags);
      return withNamespace(invocation, async ({ goldenGuard }, namespace) => {
        if (change === "off") {
          const guard = await goldenGuard.delete();
          return {
            json: { namespace, guard: null },
            text: `removed the guard of ${namespace}: ${describeGuard(guard)}`,
          };
        }
        const guard = change === "on" ? await goldenGuard.set({ settings }) : await goldenGuard.get();
        return { json: { namespace, guard }, text: describeGuard(guard) };
      });
    },
  },
  createChangeCommand("golden activate", "evaluate golden questions, such as reviewed drafts", async (handle, id) => {
    return handle.goldenQuestions.update(id, { status: "active" });
  }),
  createChangeCommand("golden disable", "evaluate golden questions no more, and keep them", async (handle, id) => {
    return handle.goldenQuestions.update(id, { status: "disabled" });
  }),
  createChangeCommand("golden delete", "delete golden questions", (handle, id) => handle.goldenQuestions.delete(id)),
];

/** Creates a command that makes drafts. */
function createMakeCommand(
  name: string,
  summary: string,
  flags: readonly FlagName[],
  make: (
    handle: NamespaceHandle,
    invocation: Invocation,
  ) => Promise<GoldenQuestionCounts & Partial<Pick<GeneratedQuestionCounts, "rejected" | "lastDocument">>>,
): Command {
  return {
    name,
    summary,
    details: "Questions that exist already are left as they are. golden activate makes drafts count.",
    flags: [...NAMESPACE_FLAGS, ...flags],
    run: (invocation) =>
      withNamespace(invocation, async (handle, namespace) => {
        const counts = await make(handle, invocation);
        const { added, unchanged, leftOut, rejected = 0, lastDocument } = counts;
        const parts = [`${formatCount(added, "draft")} added to ${namespace}`, `${unchanged} known already`];
        if (rejected > 0) parts.push(`${rejected} of the language model's replies rejected`);
        if (leftOut > 0) parts.push(`${leftOut} left out, since a namespace keeps ${MAX_GOLDEN_QUESTIONS}`);
        if (lastDocument) parts.push(`the next ones with --after ${lastDocument}`);
        return { json: { namespace, ...counts }, text: parts.join(", ") };
      }),
  };
}

/** Creates a command that changes golden questions, by their ids. */
function createChangeCommand(
  name: string,
  summary: string,
  change: (handle: NamespaceHandle, id: string) => Promise<StoredGoldenQuestion>,
): Command {
  return {
    name,
    summary,
    usage: "<id>...",
    operands: { min: 1, max: Number.POSITIVE_INFINITY },
    flags: NAMESPACE_FLAGS,
    run: (invocation) =>
      withNamespace(invocation, async (handle, namespace): Promise<Outcome> => {
        const questions: StoredGoldenQuestion[] = [];
        for (const id of invocation.operands) questions.push(await change(handle, id));
        return { json: { namespace, questions }, text: formatColumns(questions.map(toRow)) };
      }),
  };
}

function listQuestions(
  handle: NamespaceHandle,
  status: GoldenQuestionStatus | undefined,
  signal: AbortSignal,
): Promise<readonly StoredGoldenQuestion[]> {
  return collect(
    handle.goldenQuestions.iterate({ order: "asc", perPage: 100, signal, ...(status && { statuses: [status] }) }),
  );
}

function describeGuard({ measures, settings }: GoldenGuard): string {
  return `${measures.join(", ")} of ${settings.map(({ name }) => name).join(", ")}`;
}

/** Returns one row for each setting, with the mean of its first measure. */
function toEvaluationRows({ id, name, createdAt, questions, results }: EvaluationSummary): string[][] {
  return results.map(({ name: setting, measures }) => {
    const [figure = ""] = Object.entries(measures).map(([measure, { mean }]) => `${measure} ${mean.toFixed(4)}`);
    return [id, `${createdAt.slice(0, 16)}Z`, formatCount(questions, "question"), setting, figure, name ?? ""];
  });
}

function toRow({ id, status, origin, question, answers }: StoredGoldenQuestion): string[] {
  return [id, status, origin, formatCount(answers.length, "answer"), question];
}
