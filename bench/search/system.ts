import type { Query, Workload } from "./workload.js";

/** Settings of a Lorebase system, to compare several in one run. */
export interface LorebaseSettings {
  /** Options of the knowledge base. */
  readonly open?: object;
  /** The namespace's vector store. */
  readonly store?: object;
  /** Options of each search. */
  readonly search?: object;
}

export interface Setup {
  /** Its own directory, empty at first. */
  readonly directory: string;
  readonly workload: Workload;
  readonly settings: LorebaseSettings;
}

/** A system in the comparison. It runs in its own process. */
export interface System {
  /** Writes every row and builds the indexes for searches. */
  fill(setup: Setup): Promise<void>;
  /** Opens the filled directory. */
  open(setup: Setup): Promise<OpenSystem>;
}

export interface OpenSystem {
  /** Finds the best ten. The returned function, which is not timed, returns their rows, best first. */
  search(query: Query): Promise<() => readonly number[]>;
  close(): Promise<void>;
}
