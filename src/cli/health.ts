import type { HealthFindingKind, HealthFindings, HealthPassage, HealthReport } from "../index.js";
import { collect } from "../util/collect.js";
import { didYouMean } from "../validation/did-you-mean.js";
import { HEALTH_FINDINGS } from "../validation/health-schema.js";
import { formatColumns } from "./columns.js";
import type { Command } from "./command.js";
import { parseCount } from "./flag-values.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { UsageError } from "./usage-error.js";
import { withNamespace } from "./with-namespace.js";

/** The time after which progress is stored and the next step of a check begins. */
const STEP_SECONDS = 10;

export const healthCommand: Command = {
  name: "health",
  summary: "count near-duplicates, stale documents and other faults of a namespace",
  details: `Checks the passages that are new since the last report first. With a kind, lists its findings without checking anything: ${HEALTH_FINDINGS.join(", ")}.`,
  usage: "[kind]",
  operands: { min: 0, max: 1 },
  flags: [...NAMESPACE_FLAGS, "stale-after", "max-seconds"],
  run: (invocation) => {
    const { flags, operands, terminal } = invocation;
    const kind = operands[0] === undefined ? undefined : parseKind(operands[0]);
    const options = { staleAfterDays: parseCount("stale-after", flags["stale-after"]), signal: terminal.signal };
    const maxSeconds = parseCount("max-seconds", flags["max-seconds"]);
    return withNamespace(invocation, async (handle, namespace) => {
      if (kind !== undefined) {
        const findings = await collect(handle.health.iterate(kind, { order: "asc", ...options }));
        const text = findings.length === 0 ? `no ${kind} in ${namespace}` : formatColumns(findings.map(toRow));
        return { json: { namespace, kind, findings }, text };
      }
      let report = await handle.health.report({ ...options, maxSeconds: maxSeconds ?? STEP_SECONDS });
      while (!report.isComplete && maxSeconds === undefined)
        report = await handle.health.report({ ...options, maxSeconds: STEP_SECONDS });
      return { json: { namespace, ...report }, text: formatReport(report) };
    });
  },
};

function parseKind(operand: string): HealthFindingKind {
  const kind = HEALTH_FINDINGS.find((known) => known === operand);
  if (kind !== undefined) return kind;
  const hint = didYouMean(operand, HEALTH_FINDINGS);
  throw new UsageError(`the kind must be one of ${HEALTH_FINDINGS.join(", ")}, not "${operand}"${hint}`);
}

function formatReport(report: HealthReport): string {
  const rows = [
    ["near-duplicates", report.nearDuplicates],
    ["unfindable-passages", report.unfindablePassages],
    ["unanswered-questions", report.unansweredQuestions],
    ["stale-documents", report.staleDocuments],
    ["badly-parsed-documents", report.badlyParsedDocuments],
  ] as const satisfies readonly (readonly [HealthFindingKind, number])[];
  const lines = formatColumns(
    rows.map(([kind, count]) => [kind, `${count}`]),
    "right",
  );
  return report.isComplete ? lines : `${lines}\nNot all passages are checked: run the command again to go on.`;
}

function toRow(finding: HealthFindings[HealthFindingKind]): string[] {
  if ("original" in finding) {
    const { similarity, passage, original } = finding;
    return [`${Math.round(similarity * 100)} %`, ...describePassage(passage), "of", ...describePassage(original)];
  }
  if ("passage" in finding) return [...describePassage(finding.passage), finding.question];
  if ("askedBy" in finding) return [`${finding.askedAt.slice(0, 16)}Z`, finding.askedBy, finding.question];
  const { documentId, documentName, currentAt, warnings, totalChunks } = finding;
  const notes = totalChunks === 0 ? ["no text", ...warnings] : warnings;
  return [documentId, currentAt.slice(0, 10), documentName ?? "", notes.join("; ")];
}

function describePassage({ chunkId, documentName }: HealthPassage): string[] {
  return [chunkId, documentName ?? ""];
}
