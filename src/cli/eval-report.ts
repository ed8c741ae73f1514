import type { ConfidenceInterval } from "../evaluate/bootstrap.js";
import type { EvaluationReport } from "../evaluate/measure.js";
import type {
  EvaluatedVectors,
  EvaluationComparison,
  JudgedComparison,
  ListedHit,
  RankingComparison,
  ReembeddingEvaluation,
} from "../index.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";
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

/** Formats the comparison of both models of a namespace. */
export function formatModelsText({ current, other, golden, clicked, sample }: ReembeddingEvaluation): string {
  return [
    `current: ${describeVectors(current)}`,
    `other:   ${describeVectors(other)}`,
    ...formatJudged("golden questions", golden),
    ...formatJudged("questions answered by clicks", clicked),
    ...["", `sampled queries: ${sample.queries}`],
    ...(sample.queries === 0 ? [] : formatRankings(sample.comparisons)),
  ].join("\n");
}

function describeVectors({ embeddingConfig: { provider, model }, vectorStoreConfig }: EvaluatedVectors): string {
  return `${[provider, model].filter(Boolean).join(", ")} in ${vectorStoreConfig.provider}`;
}

function formatJudged(label: string, { questions, skipped, comparisons }: JudgedComparison): string[] {
  const rows = comparisons.map(({ name, measure, current, other, difference, p }) => [
    ...[name, measure, current.toFixed(4), other.toFixed(4)],
    ...formatDifference(difference, p),
  ]);
  const head = ["setting", "measure", "current", "other", "difference", "95 %", "p"];
  return [
    "",
    `${label}: ${questions}${skipped.length === 0 ? "" : `, ${skipped.length} left out`}`,
    ...(rows.length === 0 ? [] : [formatColumns([head, ...rows], "right")]),
  ];
}

function formatRankings(comparisons: readonly RankingComparison[]): string[] {
  const rows = comparisons.map(({ name, overlap, rankBiasedOverlap, sameFirstHit, withoutHits, failed }) => [
    ...[name, formatMean(overlap), formatMean(rankBiasedOverlap), formatMean(sameFirstHit)],
    ...[`${withoutHits.current}, ${withoutHits.other}`, `${failed}`],
  ]);
  const head = ["setting", "overlap of ten", "rank-biased overlap", "same first hit", "without hits", "left out"];
  return [
    formatColumns([head, ...rows], "right"),
    ...comparisons.flatMap(({ name, mostDifferent }) => {
      if (mostDifferent.length === 0) return [];
      const queries = mostDifferent.flatMap(({ query, rankBiasedOverlap, current, other }) => [
        [rankBiasedOverlap.toFixed(3), shorten(query)],
        ["", `current: ${describeFirst(current)}`],
        ["", `other:   ${describeFirst(other)}`],
      ]);
      return ["", `${name}: the queries whose hits differ the most`, formatColumns(queries)];
    }),
  ];
}

function describeFirst([first]: readonly ListedHit[]): string {
  return first ? `${first.id}  ${shorten(first.text)}` : "nothing";
}

function shorten(text: string): string {
  return collapseWhitespace(text).slice(0, 100).toWellFormed();
}

function formatMean({ mean, low, high }: ConfidenceInterval): string {
  return `${mean.toFixed(4)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
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
    ...measureNames.map((measure) => formatMean(measures[measure]!)),
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
