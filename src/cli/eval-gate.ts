import { getErrorMessage } from "../errors.js";
import {
  type Baseline,
  type BaselineComparison,
  baselineSchema,
  compareWithBaseline,
  DEFAULT_MAX_DROP,
  describeUnpaired,
  type Failure,
  findBelowLimits,
  findDrops,
  type Limit,
  parseLimits,
} from "../evaluate/gate.js";
import type { EvaluationReport } from "../evaluate/measure.js";
import { readYaml } from "../evaluate/read-yaml.js";
import type { FlagValues } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** The requirements that a report must meet for the command to succeed. */
export interface Gate {
  readonly limits: readonly Limit[];
  readonly baseline: Baseline | null;
  readonly maxDrop: number;
}

/** A report with the result of checking it against a gate. */
export type GatedReport = EvaluationReport & {
  /** Why the command fails; empty if it succeeds. */
  readonly failures: readonly Failure[];
  readonly baseline: { readonly comparisons: readonly BaselineComparison[]; readonly notes: readonly string[] } | null;
};

/** Parses the gate. Call this before the evaluation, so that an invalid flag or baseline fails early. */
export async function parseGateFlags(flags: FlagValues): Promise<Gate> {
  const drop = flags["max-drop"];
  const maxDrop = drop === undefined ? DEFAULT_MAX_DROP : Number(drop);
  if (!(maxDrop >= 0 && maxDrop <= 1)) throw new UsageError(`--max-drop must be a number from 0 to 1, not "${drop}"`);
  if (drop !== undefined && flags.baseline === undefined) throw new UsageError("--max-drop needs --baseline");
  return {
    limits: parseLimitsFlag(flags["fail-below"]),
    baseline: flags.baseline === undefined ? null : await readYaml(flags.baseline, baselineSchema),
    maxDrop,
  };
}

export async function applyGate<Report extends EvaluationReport>(
  report: Report,
  { limits, baseline, maxDrop }: Gate,
): Promise<Report & GatedReport> {
  const below = findBelowLimits(report, limits);
  if (!baseline) return { ...report, failures: below, baseline: null };
  const comparisons = await compareWithBaseline(report, baseline);
  const notes = describeUnpaired(report, baseline);
  return { ...report, failures: [...below, ...findDrops(comparisons, maxDrop)], baseline: { comparisons, notes } };
}

function parseLimitsFlag(value: string | undefined): readonly Limit[] {
  if (value === undefined) return [];
  try {
    return parseLimits(value);
  } catch (cause) {
    throw new UsageError(`--fail-below: ${getErrorMessage(cause)}`, { cause });
  }
}
