import { type Filter, type FilterNode, matchesFilter, parseFilter } from "../filter.js";
import type { Metadata } from "../types.js";

/** Prefers passages whose metadata match a filter, or whose date is recent. */
export interface Boost<M = Metadata> {
  /** The share of its score that a passage without the preferred property loses, above 0 and at most 1. */
  readonly weight: number;
  /** Conditions on metadata that the preferred passages meet. Either this or `newest` is given. */
  readonly filter?: Filter<M> | undefined;
  /**
   * The metadata key of a date: a string of ISO 8601, in UTC unless it has a zone, or a number of milliseconds since 1970. A
   * passage without one counts as infinitely old.
   */
  readonly newest?: string | undefined;
  /** The age, in days, at which a passage loses half of what an infinitely old one loses. Required with `newest`. */
  readonly halfLifeDays?: number | undefined;
}

/** A boost with its filter parsed. */
export type ParsedBoost =
  | { readonly weight: number; readonly filterNode: FilterNode }
  | { readonly weight: number; readonly key: string; readonly halfLifeDays: number };

const MS_PER_DAY = 86_400_000;

/** @throws KnowledgeBaseError `invalid_input` for an invalid filter */
export function parseBoosts(boosts: readonly BoostInput[]): readonly ParsedBoost[] {
  return boosts.map(({ weight, filter, newest, halfLifeDays }, index) =>
    newest === undefined
      ? { weight, filterNode: parseFilter(filter, `boosts[${index}].filter`) }
      : { weight, key: newest, halfLifeDays: halfLifeDays! },
  );
}

/** A boost that has the fields that it needs. */
interface BoostInput {
  readonly weight: number;
  readonly filter?: object | undefined;
  readonly newest?: string | undefined;
  readonly halfLifeDays?: number | undefined;
}

/**
 * Returns the factor by which a boost multiplies the score of a passage.
 *
 * @param now Milliseconds since 1970
 */
export function boostFactor(boost: ParsedBoost, metadata: Metadata, now: number): number {
  if ("filterNode" in boost) return matchesFilter(boost.filterNode, metadata) ? 1 : 1 - boost.weight;
  const ageDays = Math.max(0, now - timeOf(metadata[boost.key])) / MS_PER_DAY;
  return 1 - boost.weight * (1 - 0.5 ** (ageDays / boost.halfLifeDays));
}

/** A date of ISO 8601 as ECMAScript reads it, with the zone apart. */
const DATE_PATTERN = /^\d{4}(?:-\d\d){0,2}(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

function timeOf(value: unknown): number {
  const time = typeof value === "number" ? value : typeof value === "string" ? parseDate(value) : Number.NaN;
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** Reads a time without a zone as UTC, so that the ranking doesn't depend on the machine. */
function parseDate(text: string): number {
  const [date, zone] = DATE_PATTERN.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  return Date.parse(text.includes("T") && zone === undefined ? `${text}Z` : text);
}
