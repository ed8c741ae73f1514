import type { Place } from "./system.js";
import type { Query } from "./workload.js";

/** What a contestant's process is told to do, one at a time. */
export type Order =
  | { readonly do: "fill"; readonly place: Place }
  | { readonly do: "open"; readonly place: Place; readonly first: Query }
  | { readonly do: "search"; readonly queries: readonly Query[] }
  | { readonly do: "close" };

/** What it has to tell then. */
export interface Answers {
  readonly fill: { readonly seconds: number; readonly cpuSeconds: number; readonly peakMb: number };
  /** Until it is open, and the first search from there. */
  readonly open: { readonly openMs: number; readonly firstMs: number };
  readonly search: {
    readonly timesMs: readonly number[];
    /** Of all of the process's threads, for all queries. */
    readonly cpuMs: number;
    /** For each query the rows that were found, best first. */
    readonly found: readonly (readonly number[])[];
  };
  /** Resident memory of the whole process, Node included. */
  readonly close: { readonly rssMb: number; readonly peakMb: number };
}

export type Reply = { readonly answer: Answers[keyof Answers] } | { readonly error: string };
