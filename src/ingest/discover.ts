import { findPages } from "../crawl/find-pages.js";
import type { Discovery } from "../engine/discovery.js";
import { findVideos } from "./find-videos.js";

/** Finds a job's documents, as `Discover` says, for whatever the job's payload is. */
export async function discover(discovery: Discovery): Promise<"done" | "paused"> {
  const { payload } = discovery;
  return payload.type === "CRAWL" ? findPages({ ...discovery, payload }) : findVideos({ ...discovery, payload });
}
