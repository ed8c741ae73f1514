import type { Setup } from "./system.js";
import type { Query } from "./workload.js";

/** A command to the process of a system, one at a time. */
export type Command =
  | { readonly do: "fill"; readonly setup: Setup }
  | { readonly do: "open"; readonly setup: Setup; readonly first: Query }
  | { readonly do: "search"; readonly queries: readonly Query[] }
  | { readonly do: "close" };

/** The result of each command. */
export interface Results {
  readonly fill: { readonly seconds: number; readonly cpuSeconds: number; readonly peakMb: number };
  /** Times of opening and of the first search. */
  readonly open: { readonly openMs: number; readonly firstMs: number };
  readonly search: {
    readonly timesMs: readonly number[];
    /** Over all threads and all queries. */
    readonly cpuMs: number;
    /** The rows found for each query, best first. */
    readonly found: readonly (readonly number[])[];
  };
  /** Resident memory of the whole process, Node included. */
  readonly close: { readonly rssMb: number; readonly peakMb: number };
}

export type Reply = { readonly result: Results[keyof Results] } | { readonly error: string };
