import { KnowledgeBaseError } from "../errors.js";
import type { Discovery } from "./discovery.js";
import { findPages } from "./find-pages.js";

/** Finds a job's documents, as `Discover` says, for whatever the job's payload is. */
export async function discover(discovery: Discovery): Promise<"done" | "paused"> {
  const { payload } = discovery;
  if (payload.type === "CRAWL") return findPages({ ...discovery, payload });
  throw new KnowledgeBaseError(
    "unsupported",
    `unsupported: this version finds no documents of the kind ${payload.type}.`,
  );
}
