import type { EvaluationReport } from "../evaluate/measure.js";
import type { EvaluationComparison } from "../index.js";
import { formatColumns } from "./columns.js";
import type { GatedReport } from "./eval-gate.js";
import type { CollectionReport } from "./evaluate-collection.js";

/** Formats the report of an evaluation on a test collection. */
export function formatCollectionText(report: CollectionReport & GatedReport): string {
  const ingests = report.ingests.map(({ embeddingConfig: { provider, model }, seconds, documentsPerSecond }) => {
    const speed = `${seconds.toFixed(1)} s, ${Math.round(documentsPerSecond)} documents a second`;
    return `ingested with ${[provider, model].filter(Boolean).join(" ")} in ${speed}`;
  });
  const head = `${report.collection}: ${report.documents.toLocaleString("en")} documents, ${report.questions} queries`;
  return [head, ...ingests, ...formatReportLines(report)].join("\n");
}

/** Formats the report of an evaluation with golden questions. */
export function formatGoldenText(report: GatedReport & { readonly name: string; readonly namespace: string }): string {
  const head = `${report.name}: ${report.questions} questions on ${report.namespace}`;
  return [head, ...formatReportLines(report)].join("\n");
}

/** Formats the differences between two evaluations. */
export function formatComparisonText({ comparisons, notes }: EvaluationComparison): string {
  const rows = comparisons.map(({ name, measure, difference, p }) => [
    name,
    measure,
    ...formatDifference(difference, p),
  ]);
  return [...formatDifferences(rows).slice(1), ...notes].join("\n");
}

function formatReportLines(report: GatedReport): string[] {
  const comparisons = report.comparisons.map(({ name, to, measure, difference, p }) => {
    return [`${name} − ${to}`, measure, ...formatDifference(difference, p)];
  });
  const { baseline } = report;
  const sinceBaseline = baseline?.comparisons.map(({ name, measure, difference, p }) => {
    return [`${name} − baseline`, measure, ...formatDifference(difference, p)];
  });
  return [
    "",
    ...formatMeans(report),
    ...(comparisons.length === 0 ? [] : formatDifferences(comparisons)),
    ...(sinceBaseline ? [...formatDifferences(sinceBaseline), ...baseline!.notes] : []),
  ];
}

function formatMeans({ results, statistics }: EvaluationReport): string[] {
  const measureNames = Object.keys(results[0]?.measures ?? {});
  const rows = results.map(({ name, measures, searchMs }) => [
    name,
    ...measureNames.map((measure) => {
      const { mean, low, high } = measures[measure]!;
      return `${mean.toFixed(4)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
    }),
    `${searchMs.p50.toFixed(1)} ms`,
    `${searchMs.p95.toFixed(1)} ms`,
  ]);
  const confidence = `${Math.round(statistics.confidence * 100)} %`;
  return [
    formatColumns([["setting", ...measureNames, "p50", "p95"], ...rows], "right"),
    `[…] is the ${confidence} confidence interval of the mean, from ${statistics.resamples} bootstrap samples of the questions`,
  ];
}

function formatDifferences(rows: readonly (readonly string[])[]): string[] {
  return ["", formatColumns([["difference", "measure", "mean", "95 %", "p"], ...rows], "right")];
}

function formatDifference({ mean, low, high }: { mean: number; low: number; high: number }, p: number): string[] {
  return [withSign(mean), `[${withSign(low)}, ${withSign(high)}]`, p < 0.0001 ? "< 0.0001" : p.toFixed(4)];
}

function withSign(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
}
