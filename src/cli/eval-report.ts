import type { CollectionReport } from "../evaluate/evaluate-collection.js";
import type { EvaluationReport } from "../evaluate/measure.js";
import type { JudgedReport } from "./eval-gate.js";

/** What an evaluation on a collection found, for people. */
export function collectionText(report: CollectionReport, judged: JudgedReport): string {
  const ingests = report.ingests.map(({ embeddingConfig: { provider, model }, seconds, documentsPerSecond }) => {
    const speed = `${seconds.toFixed(1)} s, ${Math.round(documentsPerSecond)} documents a second`;
    return `ingested with ${[provider, model].filter(Boolean).join(" ")} in ${speed}`;
  });
  const head = `${report.collection}: ${report.documents.toLocaleString("en")} documents, ${report.questions} queries`;
  return [head, ...ingests, ...body(report, judged)].join("\n");
}

/** What golden questions found. */
export function goldenText(
  report: EvaluationReport & { readonly name: string; readonly namespace: string },
  judged: JudgedReport,
): string {
  return [`${report.name}: ${report.questions} questions of ${report.namespace}`, ...body(report, judged)].join("\n");
}

function body(report: EvaluationReport, judged: JudgedReport): string[] {
  return ["", ...means(report), ...comparisons(report), ...baseline(judged)];
}

function means({ results, statistics }: EvaluationReport): string[] {
  const names = Object.keys(results[0]?.measures ?? {});
  const rows = results.map(({ name, measures, searchMs }) => [
    name,
    ...names.map((measure) => {
      const { mean, low, high } = measures[measure]!;
      return `${mean.toFixed(4)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
    }),
    `${searchMs.p50.toFixed(1)} ms`,
    `${searchMs.p95.toFixed(1)} ms`,
  ]);
  return [
    ...table(["setting", ...names, "p50", "p95"], rows),
    `[…] is the ${Math.round(statistics.confidence * 100)} % interval of the mean, by ${statistics.resamples} bootstrap samples of the questions`,
  ];
}

function comparisons({ comparisons }: EvaluationReport): string[] {
  if (comparisons.length === 0) return [];
  const rows = comparisons.map(({ name, to, measure, difference, p }) => {
    return [`${name} − ${to}`, measure, ...differenceCells(difference, p)];
  });
  return ["", ...table(["difference", "measure", "mean", "95 %", "p"], rows)];
}

function baseline({ baseline }: JudgedReport): string[] {
  if (!baseline) return [];
  const rows = baseline.comparisons.map(({ name, measure, difference, p }) => {
    return [`${name} − baseline`, measure, ...differenceCells(difference, p)];
  });
  return ["", ...table(["difference", "measure", "mean", "95 %", "p"], rows), ...baseline.notes];
}

function differenceCells({ mean, low, high }: { mean: number; low: number; high: number }, p: number): string[] {
  return [signed(mean), `[${signed(low)}, ${signed(high)}]`, p < 0.0001 ? "< 0.0001" : p.toFixed(4)];
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]!.length)));
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  "),
  );
}
