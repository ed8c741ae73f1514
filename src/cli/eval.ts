import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EVALUATION_MODES, type EvaluationReport, evaluate } from "../evaluation/evaluate.js";
import { readCollection } from "../evaluation/read-collection.js";
import type { Command } from "./command.js";
import { choiceOf, directoryOf, embeddingOf } from "./flag-values.js";
import { createProgress } from "./progress.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

/** `lorebase eval`: search quality on a test collection, in a temporary knowledge base. */
export const evalCommand: Command = {
  name: "eval",
  summary: "measure search quality on a BEIR collection",
  usage: "<folder>",
  operands: { min: 1, max: 1 },
  flags: ["directory", "mode", "embedding", "model"],
  async run({ operands, flags, terminal }) {
    const mode = choiceOf("mode", flags.mode, [...EVALUATION_MODES, "all"] as const) ?? "all";
    const embeddingConfig = embeddingOf(flags);
    const collection = await readCollection(operands[0]!);
    const directory = await mkdtemp(join(tmpdir(), "lorebase-eval-"));
    const progress = createProgress(terminal);
    try {
      // Models outlive the evaluation: they are looked for where the other commands keep them.
      const modelsDirectory = join(directoryOf(flags, terminal), "models");
      const report = await withKnowledgeBase({ directory, modelsDirectory }, terminal, progress, (kb) =>
        evaluate(kb, collection, {
          modes: mode === "all" ? EVALUATION_MODES : [mode],
          embeddingConfig,
          signal: terminal.signal,
          onProgress: ({ phase, done, total }) =>
            progress.update({
              label: phase.padEnd(8),
              done,
              total,
              detail: phase === "ingest" ? "documents" : "queries",
            }),
        }),
      );
      return { json: report, text: table(report) };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

function table(report: EvaluationReport): string {
  const { provider, model } = report.embeddingConfig;
  const rows = report.results.map((result) => [
    result.mode,
    result["nDCG@10"].toFixed(4),
    result["recall@10"].toFixed(4),
    result["recall@100"].toFixed(4),
    result["MRR@10"].toFixed(4),
    `${result.searchMs.p50.toFixed(1)} ms`,
    `${result.searchMs.p95.toFixed(1)} ms`,
  ]);
  const header = ["mode", "nDCG@10", "recall@10", "recall@100", "MRR@10", "p50", "p95"];
  return [
    `${report.collection}: ${report.documents.toLocaleString("en")} documents, ${report.queries} queries, ${[provider, model].filter(Boolean).join(" ")}`,
    `ingested in ${report.ingestSeconds.toFixed(1)} s, ${Math.round(report.documentsPerSecond)} documents a second`,
    "",
    ...[header, ...rows].map((row) =>
      row.map((cell, index) => (index === 0 ? cell.padEnd(9) : cell.padStart(12))).join(""),
    ),
  ].join("\n");
}
