import type { Discovery } from "./discovery.js";
import { findPages } from "./find-pages.js";
import { findVideos } from "./find-videos.js";

/** Finds a job's documents, as `Discover` says, for whatever the job's payload is. */
export async function discover(discovery: Discovery): Promise<"done" | "paused"> {
  const { payload } = discovery;
  return payload.type === "CRAWL" ? findPages({ ...discovery, payload }) : findVideos({ ...discovery, payload });
}
