import { KnowledgeBase } from "lorebase";
import { load } from "./load.js";
import { isCounting, type Observed, startSdk } from "./observe-states.js";

// A process of the benchmark `observe`: `observe-process.ts <directory> <state>`. Answers each message with a turn.

/** A turn to run. */
export interface TurnRequest {
  readonly mode: "keyword" | "hybrid";
  readonly queries: readonly string[];
  readonly concurrency: number;
}

export interface Turn {
  readonly perSecond: number;
  /** Processor time of all threads for a search. */
  readonly cpuMs: number;
}

const [directory, state] = process.argv.slice(2) as [string, Observed];
startSdk(state);
const kb = new KnowledgeBase({ directory, worker: false, metrics: isCounting(state) });
process.on("message", async ({ mode, queries, concurrency }: TurnRequest) => {
  const before = process.cpuUsage();
  const { perSecond } = await load((query) => kb.search("bench", query, { mode }), queries, concurrency);
  const { user, system } = process.cpuUsage(before);
  process.send!({ perSecond, cpuMs: (user + system) / 1000 / queries.length } satisfies Turn);
});
process.once("disconnect", () => void kb.close());
