import { messageOf } from "../errors.js";
import {
  type Baseline,
  type BaselineComparison,
  baselineSchema,
  belowLimits,
  compareWithBaseline,
  DEFAULT_MAX_DROP,
  type Failure,
  fallen,
  type Limit,
  parseLimits,
  unpaired,
} from "../evaluate/gate.js";
import type { EvaluationReport } from "../evaluate/measure.js";
import { readYaml } from "../evaluate/read-yaml.js";
import type { FlagValues } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** What a report is held against. */
export interface Gate {
  readonly limits: readonly Limit[];
  readonly baseline: Baseline | null;
  readonly maxDrop: number;
}

/** A report, and what the gate makes of it. */
export type JudgedReport = EvaluationReport & {
  /** Why the command fails; empty where it doesn't. */
  readonly failures: readonly Failure[];
  readonly baseline: { readonly comparisons: readonly BaselineComparison[]; readonly notes: readonly string[] } | null;
};

/** Read before anything is measured: a mistake in it should not cost an evaluation. */
export async function gateOf(flags: FlagValues): Promise<Gate> {
  const drop = flags["max-drop"];
  const maxDrop = drop === undefined ? DEFAULT_MAX_DROP : Number(drop);
  if (!(maxDrop >= 0 && maxDrop <= 1)) throw new UsageError(`--max-drop must be a number from 0 to 1, not "${drop}"`);
  if (drop !== undefined && flags.baseline === undefined) throw new UsageError("--max-drop needs --baseline");
  return {
    limits: limitsOf(flags["fail-below"]),
    baseline: flags.baseline === undefined ? null : await readYaml(flags.baseline, baselineSchema),
    maxDrop,
  };
}

export async function judgeReport<Report extends EvaluationReport>(
  report: Report,
  { limits, baseline, maxDrop }: Gate,
): Promise<Report & JudgedReport> {
  const below = belowLimits(report, limits);
  if (!baseline) return { ...report, failures: below, baseline: null };
  const comparisons = await compareWithBaseline(report, baseline);
  const notes = unpaired(report, baseline);
  return { ...report, failures: [...below, ...fallen(comparisons, maxDrop)], baseline: { comparisons, notes } };
}

function limitsOf(value: string | undefined): readonly Limit[] {
  if (value === undefined) return [];
  try {
    return parseLimits(value);
  } catch (cause) {
    throw new UsageError(`--fail-below: ${messageOf(cause)}`, { cause });
  }
}
