import type { BesideRound } from "./beside.js";
import type { Figures } from "./compare.js";
import type { KeywordsRound } from "./keywords.js";
import type { VectorsRound } from "./vectors.js";

/** Something that is to hold in every run, and whether it did in this one. */
export interface Claim {
  readonly claim: string;
  readonly measured: number;
  /** What it may be at most, or must be at least. */
  readonly needed: string;
  readonly holds: boolean;
}

export interface SearchFigures {
  readonly vectors: readonly VectorsRound[];
  readonly keywords: KeywordsRound | null;
  readonly beside: BesideRound | null;
}

const FASTER = { 384: 12, 1024: 10 } as Readonly<Record<number, number>>;
const FASTER_APPROXIMATE = 20;
const MANY_ROWS = 1_000_000;

/** What search is to keep beside its peers, for all that was measured. Ratios are of medians of the same run. */
export function claimsOf({ vectors, keywords, beside }: SearchFigures): readonly Claim[] {
  return [
    ...vectors.flatMap(ofVectors),
    ...(keywords ? ofKeywords(keywords) : []),
    ...(beside ? ofBeside(beside) : []),
  ];
}

function ofVectors({ rows, dimensions, figures }: VectorsRound): Claim[] {
  const peer = figures.find(({ name }) => name === "sqlite-vec");
  const place = `${rows} × ${dimensions}`;
  return figures
    .filter(({ name }) => name.startsWith("lorebase"))
    .flatMap((ours) => {
      const { all, filtered } = ours.searches;
      const approximate = ours.name === "lorebase-approximate";
      const faster = approximate ? FASTER_APPROXIMATE : FASTER[dimensions];
      const claims = [least(`${place}, ${ours.label}: recall`, all!.recall, approximate ? 0.99 : 1)];
      if (rows <= 100_000) claims.push(most(`${place}, ${ours.label}: ms with a filter of 1 %`, filtered!.p50Ms, 0.5));
      if (peer && faster !== undefined) {
        claims.push(
          least(
            `${place}, ${ours.label}: times faster than ${peer.label}`,
            peer.searches.all!.p50Ms / all!.p50Ms,
            faster,
          ),
        );
      }
      if (rows >= MANY_ROWS) {
        claims.push(most(`${place}, ${ours.label}: MB of memory`, ours.memoryMb.rssMb, 1200));
        if (peer)
          claims.push(
            most(
              `${place}, ${ours.label}: first search, opening included, to ${peer.label}'s`,
              firstOf(ours) / firstOf(peer),
              1,
            ),
          );
      }
      return claims;
    });
}

function firstOf({ first: { cached } }: Figures): number {
  return cached.openMs + cached.firstMs;
}

function ofKeywords({ rows, figures }: KeywordsRound): Claim[] {
  const [ours, peer] = ["lorebase", "lancedb"].map((name) => figures.find((one) => one.name === name));
  if (!ours || !peer) return [];
  return Object.entries(ours.searches).map(([set, { p50Ms }]) => {
    return most(`${rows} chunks, keywords ${set}: p50 to ${peer.label}'s`, p50Ms / peer.searches[set]!.p50Ms, 1.5);
  });
}

function ofBeside({ modes, eventLoopDelayMs }: BesideRound): Claim[] {
  return [
    ...Object.entries(modes).map(([mode, { p99Ratio }]) =>
      most(`${mode} beside an ingest: p99 to that at rest`, p99Ratio, 3),
    ),
    most("beside an ingest: longest ms of the event loop", eventLoopDelayMs.ingesting, 50),
  ];
}

function least(claim: string, measured: number, needed: number): Claim {
  return { claim, measured, needed: `at least ${needed}`, holds: measured >= needed };
}

function most(claim: string, measured: number, needed: number): Claim {
  return { claim, measured, needed: `at most ${needed}`, holds: measured <= needed };
}
