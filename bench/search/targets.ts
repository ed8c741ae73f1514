import type { Figures } from "./compare.js";
import type { DuringIngestRound } from "./during-ingest.js";
import type { KeywordsRound } from "./keywords.js";
import type { VectorsRound } from "./vectors.js";

/** A performance target, and whether this run met it. */
export interface Target {
  readonly target: string;
  readonly measured: number;
  /** The maximum or minimum. */
  readonly required: string;
  readonly isMet: boolean;
}

export interface SearchFigures {
  readonly vectors: readonly VectorsRound[];
  readonly keywords: KeywordsRound | null;
  readonly beside: DuringIngestRound | null;
}

const MIN_SPEEDUP = { 384: 12, 1024: 10 } as Readonly<Record<number, number>>;
const MIN_APPROXIMATE_SPEEDUP = 20;
const MANY_ROWS = 1_000_000;

/** Checks the targets of everything that was measured. Ratios are of medians of the same run. */
export function checkTargets({ vectors, keywords, beside }: SearchFigures): readonly Target[] {
  return [
    ...vectors.flatMap(vectorTargets),
    ...(keywords ? keywordTargets(keywords) : []),
    ...(beside ? duringIngestTargets(beside) : []),
  ];
}

function vectorTargets({ rows, dimensions, figures }: VectorsRound): Target[] {
  const peer = figures.find(({ name }) => name === "sqlite-vec");
  const size = `${rows} × ${dimensions}`;
  return figures
    .filter(({ name }) => name.startsWith("lorebase"))
    .flatMap((ours) => {
      const { all, filtered } = ours.searches;
      const approximate = ours.name === "lorebase-approximate";
      const speedup = approximate ? MIN_APPROXIMATE_SPEEDUP : MIN_SPEEDUP[dimensions];
      const targets = [atLeast(`${size}, ${ours.label}: recall`, all!.recall, approximate ? 0.99 : 1)];
      if (rows <= 100_000)
        targets.push(atMost(`${size}, ${ours.label}: ms with a filter of 1 %`, filtered!.p50Ms, 0.5));
      if (peer && speedup !== undefined) {
        targets.push(
          atLeast(
            `${size}, ${ours.label}: times faster than ${peer.label}`,
            peer.searches.all!.p50Ms / all!.p50Ms,
            speedup,
          ),
        );
      }
      if (rows >= MANY_ROWS) {
        targets.push(atMost(`${size}, ${ours.label}: MB of memory`, ours.memoryMb.rssMb, 1200));
        if (peer)
          targets.push(
            atMost(
              `${size}, ${ours.label}: first search including opening, relative to ${peer.label}`,
              firstOf(ours) / firstOf(peer),
              1,
            ),
          );
      }
      return targets;
    });
}

function firstOf({ first: { cached } }: Figures): number {
  return cached.openMs + cached.firstMs;
}

function keywordTargets({ rows, figures }: KeywordsRound): Target[] {
  const [ours, peer] = ["lorebase", "lancedb"].map((name) => figures.find((one) => one.name === name));
  if (!ours || !peer) return [];
  return Object.entries(ours.searches).map(([set, { p50Ms }]) => {
    return atMost(
      `${rows} chunks, keywords ${set}: p50 relative to ${peer.label}`,
      p50Ms / peer.searches[set]!.p50Ms,
      1.5,
    );
  });
}

function duringIngestTargets({ modes, eventLoopDelayMs }: DuringIngestRound): Target[] {
  return [
    ...Object.entries(modes).map(([mode, { p99Ratio }]) =>
      atMost(`${mode} during an ingest: p99 relative to idle`, p99Ratio, 3),
    ),
    atMost("during an ingest: longest event loop delay in ms", eventLoopDelayMs.ingesting, 50),
  ];
}

function atLeast(target: string, measured: number, minimum: number): Target {
  return { target, measured, required: `at least ${minimum}`, isMet: measured >= minimum };
}

function atMost(target: string, measured: number, maximum: number): Target {
  return { target, measured, required: `at most ${maximum}`, isMet: measured <= maximum };
}
