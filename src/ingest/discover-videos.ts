import type { Discovery } from "../engine/discovery.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { ListedVideo } from "../interfaces/video-source.js";
import { isLeaseLost } from "../storage/records/lease.js";
import type { YoutubePayload } from "../types.js";

/**
 * Adds the videos that a payload names, and then the videos of its lists, without repetitions. An unavailable list
 * fails the job once the other lists have been read.
 */
export async function discoverVideos(discovery: Discovery<YoutubePayload>): Promise<"done" | "paused"> {
  const { engine, payload, signal, pause } = discovery;
  const { videos, fetch } = engine;
  const singleVideos: ListedVideo[] = [];
  const lists = new Set<string>();
  for (const url of payload.urls) {
    const recognised = videos.recognise(url);
    if (recognised === "list") lists.add(url);
    else if (recognised !== null) singleVideos.push(recognised);
    else throw new KnowledgeBaseError("invalid_input", `${url} is not the URL of a video, playlist or channel.`);
  }
  const failures: KnowledgeBaseError[] = [];
  // Lists are read from the start each time. A discovery that paused before it found new videos would never end.
  let hasNewVideos = (await addVideos(discovery, singleVideos)) > 0;
  for (const url of lists) {
    try {
      for await (const page of videos.list(url, { fetch, signal })) {
        signal.throwIfAborted();
        hasNewVideos = (await addVideos(discovery, page)) > 0 || hasNewVideos;
        if (hasNewVideos && pause.aborted) return "paused";
      }
    } catch (error) {
      if (!KnowledgeBaseError.is(error) || isLeaseLost(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw combineErrors(failures);
  return "done";
}

/** Returns how many of the videos are new to the job. */
async function addVideos(
  { engine, jobId, lease, onDocumentsAdded }: Discovery<YoutubePayload>,
  videos: readonly ListedVideo[],
): Promise<number> {
  if (videos.length === 0) return 0;
  const documents = videos.map(({ videoId, url, title, duration }) => ({
    key: videoId,
    source: { type: "YOUTUBE_VIDEO" as const, videoId, url, duration },
    name: title,
    mimeType: "text/vtt",
  }));
  const added = await engine.storage.jobs.addDocuments({ lease, jobId, documents, now: engine.now() });
  if (added > 0) onDocumentsAdded();
  return added;
}

/** Returns a retryable error if there is one, since the other errors occur again in the retry. */
function combineErrors(errors: readonly KnowledgeBaseError[]): KnowledgeBaseError {
  const retryable = errors.find((error) => error.retryable);
  if (retryable || errors.length === 1) return retryable ?? errors[0]!;
  return new KnowledgeBaseError(errors[0]!.code, errors.map(getErrorMessage).join(" "));
}
