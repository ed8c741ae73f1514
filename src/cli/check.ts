import type { CheckFinding, CheckSummary, KnowledgeBase } from "../index.js";
import { formatCount } from "./columns.js";
import type { Command } from "./command.js";
import { STORAGE_FLAGS } from "./flags.js";
import type { Progress } from "./progress.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";

/** Compares everything that is stored with what was written. Exits with 1 if anything is still wrong at the end. */
export const checkCommand: Command = {
  name: "check",
  summary: "compare what is stored with what was written, and repair it",
  flags: [...STORAGE_FLAGS, "read-only", "repair"],
  run(invocation) {
    const { flags, terminal } = invocation;
    if (flags.repair && flags["read-only"])
      throw new UsageError(
        "--repair cannot be used with --read-only, since it writes to the directory: check with --read-only first, " +
          "and repair without it if the database file is not damaged",
      );
    return withExistingKnowledgeBase(invocation, async (kb, progress) => {
      const findings: CheckFinding[] = [];
      let isDatabaseDamaged = false;
      const report = (finding: CheckFinding) => {
        isDatabaseDamaged ||= finding.remedy === "restore";
        if (flags.json) findings.push(finding);
        else terminal.out(describeFinding(finding, terminal));
      };
      const summary = await runCheck(kb, { repair: flags.repair === true, terminal, progress, report });
      const isClean = summary.findings === summary.repaired;
      return {
        json: { ok: isClean, ...summary, findings },
        text: describeSummary(summary, isDatabaseDamaged),
        exitCode: isClean ? 0 : 1,
      };
    });
  },
};

interface CheckRun {
  readonly repair: boolean;
  readonly terminal: Terminal;
  readonly progress: Progress;
  readonly report: (finding: CheckFinding) => void;
}

async function runCheck(kb: KnowledgeBase, { repair, terminal, progress, report }: CheckRun): Promise<CheckSummary> {
  let summary: CheckSummary | null = null;
  for await (const event of kb.check({ repair, signal: terminal.signal })) {
    if (event.type === "progress") progress.update({ label: `checking ${event.stage}`, ...event });
    else if (event.type === "summary") summary = event.summary;
    else {
      progress.end();
      report(event.finding);
    }
  }
  return summary!;
}

const REMEDIES: Readonly<Record<CheckFinding["remedy"], string>> = {
  rebuild: "lorebase check --repair builds it again",
  "ingest-again": "the document has to be ingested again",
  "upload-again": "its content has to be given again",
  manual: "nothing repairs it",
  restore: "restore a backup, or save what can be read with lorebase export --skip-damaged",
};

const DAMAGED_DATABASE =
  "the database is damaged: stop what writes to it and copy it, then restore a backup, or save what can be read " +
  "with lorebase export --read-only --originals --skip-damaged";

function describeFinding(finding: CheckFinding, { style }: Terminal): string {
  const { documentId, documentName, namespaceId, page, message, remedy, isRepaired } = finding;
  const name = documentName === null ? "" : ` ${JSON.stringify(documentName)}`;
  const place = documentId === null ? (namespaceId ?? "database") : `${documentId}${name}`;
  const onPage = page === null ? "" : `, page ${page}`;
  const outcome = isRepaired ? "repaired" : REMEDIES[remedy];
  return `${style(isRepaired ? "green" : "red", `${place}${onPage}`)}: ${message} (${outcome})`;
}

function describeSummary({ checked, findings, repaired, damaged }: CheckSummary, isDatabaseDamaged: boolean): string {
  const counts = [
    formatCount(checked.documents, "document"),
    formatCount(checked.chunks, "chunk"),
    formatCount(checked.files, "file"),
  ].join(", ");
  const found = findings === 0 ? "nothing wrong" : `${formatCount(findings, "finding")}, ${repaired} repaired`;
  const heading = `checked ${counts}: ${found}`;
  // Ingesting again would write to the damaged file.
  if (isDatabaseDamaged) return `${heading}\n${DAMAGED_DATABASE}`;
  const jobs = [...new Set(damaged.filter(({ hasSource }) => hasSource).map(({ ingestJobId }) => ingestJobId))];
  const lost = damaged.filter(({ hasSource }) => !hasSource).length;
  return [
    heading,
    ...(jobs.length > 0 ? ["ingest again:", ...jobs.map((id) => `  lorebase jobs reingest ${id}`)] : []),
    ...(lost > 0
      ? [`${formatCount(lost, "document")} can't be ingested again from what is stored: give the content again`]
      : []),
  ].join("\n");
}
