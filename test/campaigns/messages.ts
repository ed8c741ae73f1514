import type { PlannedDocument } from "./pieces.js";

// What the campaign and its processes say to each other, one JSON document a line.

/** To a process. */
export type Order =
  | { readonly order: "start" }
  | { readonly order: "drain" }
  | {
      readonly order: "work";
      /** Jobs to create. */
      readonly creations: number;
      /** Jobs to ingest again, in this order. */
      readonly again: readonly string[];
      readonly doomed: readonly string[];
    }
  /** Documents that every search must find whole, from here on. */
  | { readonly order: "watch"; readonly documents: readonly (PlannedDocument & { readonly tenant: string | null })[] }
  /** Ends what `work` began; answered when nothing is under way. */
  | { readonly order: "rest" };

/** From a process. A job is acknowledged when its `created` has been written: that is after the call has returned. */
export type Report =
  | { readonly report: "drained" | "resting" }
  | { readonly report: "created" | "deleted"; readonly job: string }
  | { readonly report: "searched"; readonly searches: number }
  /** A call failed because the database was out of reach, and may have taken effect. */
  | { readonly report: "unreachable" }
  | { readonly report: "fault"; readonly fault: string };
