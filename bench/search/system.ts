import type { Query, Workload } from "./workload.js";

/** Settings of a Lorebase system, for comparing some of them in one run. */
export interface LorebaseSettings {
  /** Options of the knowledge base. */
  readonly open?: object;
  /** The namespace's vector store. */
  readonly store?: object;
  /** Options of each search. */
  readonly search?: object;
}

export interface Place {
  /** Its own folder, empty before it is filled. */
  readonly directory: string;
  readonly workload: Workload;
  readonly settings: LorebaseSettings;
}

/** A system that is compared. It runs in a process of its own. */
export interface System {
  /** Writes every row and makes whatever index searches need. */
  fill(place: Place): Promise<void>;
  /** Opens what was filled. */
  open(place: Place): Promise<OpenSystem>;
}

export interface OpenSystem {
  /** The best ten, as this system's caller gets them. What is returned names their rows, best first, and is not timed. */
  search(query: Query): Promise<() => readonly number[]>;
  close(): Promise<void>;
}
