import { join } from "node:path";
import { Downloads } from "./downloads.js";
import { FairTurns } from "./fair-turns.js";
import { FetchTries } from "./fetch-tries.js";
import { SilentOrigins } from "./silent-origins.js";

/** Documents that are fetched at a time: each may take 200 MB of disk and one connection. One organization alone gets 14. */
const FETCHES = { most: 128, divisor: 8, perOrigin: 8 };
/** Crawls and lists that are read at a time: each may hold eight pages of 10 MB. One organization alone gets 4. */
const DISCOVERIES = { most: 8, divisor: 1, perOrigin: 4 };

/** What all that a process fetches from outside shares. */
export interface Outside {
  /** Of documents that are fetched, each until it has been parsed. */
  readonly fetchTurns: FairTurns;
  /** Of jobs that find their documents. */
  readonly discoveryTurns: FairTurns;
  readonly fetchTries: FetchTries;
  /** Origins that are not asked for files for now. */
  readonly silentOrigins: SilentOrigins;
  /** Where files that are fetched are kept until they have been parsed. */
  readonly downloads: Downloads;
}

/**
 * @param directory The knowledge base's.
 * @param attempts Most attempts of a job.
 */
export function openOutside(directory: string, attempts: number): Outside {
  return {
    fetchTurns: new FairTurns(FETCHES),
    discoveryTurns: new FairTurns(DISCOVERIES),
    fetchTries: new FetchTries(attempts),
    silentOrigins: new SilentOrigins(),
    downloads: new Downloads(join(directory, "downloads")),
  };
}
