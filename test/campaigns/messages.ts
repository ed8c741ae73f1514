import type { PlannedDocument } from "./pieces.js";

// What the campaign and its processes say to each other, one JSON document a line.

/** An operation on a whole knowledge base or namespace. */
export type Operation =
  | { readonly operation: "backup"; readonly target: string }
  /** Restores a backup, unless an earlier process has, opens what was restored, and checks it. */
  | { readonly operation: "restore"; readonly backup: string; readonly target: string }
  /** Removes earlier copies of the namespace, exports it, and imports the bundle as another copy. */
  | { readonly operation: "copy"; readonly bundle: string; readonly slug: string }
  | { readonly operation: "repair" }
  | { readonly operation: "compact"; readonly rewrite: boolean };

/** To a process. */
export type Order =
  | { readonly order: "start" }
  | { readonly order: "drain" }
  /** Runs a check, which must find nothing; `repair` mends what the campaign has damaged first. */
  | { readonly order: "check"; readonly repair: boolean }
  /** Moves the clock. */
  | { readonly order: "clock"; readonly aheadMs: number }
  | {
      readonly order: "work";
      /** Jobs to create. */
      readonly creations: number;
      /** Jobs to ingest again, in this order. */
      readonly again: readonly string[];
      readonly doomed: readonly string[];
      readonly operations: readonly Operation[];
    }
  /** Completes what `work` began; answered when the queue is empty. */
  | { readonly order: "finish" }
  /** Documents that every search must find whole, from here on. */
  | { readonly order: "watch"; readonly documents: readonly (PlannedDocument & { readonly tenant: string | null })[] }
  /** Ends what `work` began; answered when nothing is under way. */
  | { readonly order: "rest" }
  /** Closes the knowledge base; the process ends. */
  | { readonly order: "close" };

/** From a process. A job is acknowledged when its `created` has been written: that is after the call has returned. */
export type Report =
  | { readonly report: "drained" | "checked" | "finished" | "resting" }
  | { readonly report: "created" | "deleted"; readonly job: string }
  | { readonly report: "done"; readonly operation: Operation["operation"] }
  | { readonly report: "searched"; readonly searches: number }
  /** A call failed because the database was out of reach, and may have taken effect. */
  | { readonly report: "unreachable" }
  | { readonly report: "fault"; readonly fault: string };
