import { KnowledgeBaseError } from "../../errors.js";
import type { VideoCallOptions, VideoTranscript } from "../../interfaces/video-source.js";
import { type CaptionTrack, chooseTrack, formatLanguages } from "./choose-track.js";
import { extractPageJson } from "./page-json.js";
import { type PlayerData, readPlayer } from "./player-response.js";
import { readCaptions } from "./read-captions.js";
import { missingDataError, type SiteCall, type YoutubeSite } from "./site.js";

/** Fetches the transcript of a video in the first of the languages that the video has. */
export async function fetchTranscript(
  site: YoutubeSite,
  videoId: string,
  languages: readonly string[],
  options: VideoCallOptions,
): Promise<VideoTranscript> {
  const call = { ...options, subject: `video ${videoId}` };
  const { tracks, details } = await fetchPlayer(site, videoId, call);
  const track = chooseTrack(tracks, languages);
  if (track === null) throw noTranscriptError(call.subject, tracks, languages);
  const captions = readCaptions(await fetchTrack(site, track, call));
  if (captions === null) throw missingDataError(call.subject, "readable transcript");
  if (captions.length === 0) {
    throw new KnowledgeBaseError("not_found", `The transcript of ${call.subject} in ${track.language} is empty.`);
  }
  return { language: track.language, isAutomatic: track.isAutomatic, captions, details };
}

async function fetchPlayer(site: YoutubeSite, videoId: string, call: SiteCall): Promise<PlayerData> {
  const html = await site.get(`/watch?v=${encodeURIComponent(videoId)}&hl=en`, call);
  return readPlayer(extractPageJson(html, "ytInitialPlayerResponse", call.subject), call.subject);
}

async function fetchTrack(site: YoutubeSite, track: CaptionTrack, call: SiteCall): Promise<string> {
  const url = site.resolve(track.url);
  if (url === null) throw missingDataError(call.subject, "transcript URL");
  url.searchParams.set("fmt", "json3");
  const body = await site.get(url.href, call);
  if (body.trim() !== "") return body;
  throw new KnowledgeBaseError(
    "provider_failed",
    `The transcript of ${call.subject} in ${track.language} is not available. The site sent an empty response, which ` +
      "it often does for automated requests.",
  );
}

function noTranscriptError(
  subject: string,
  tracks: readonly CaptionTrack[],
  languages: readonly string[],
): KnowledgeBaseError {
  const wanted = languages.join(", ");
  return new KnowledgeBaseError(
    "not_found",
    tracks.length === 0
      ? `The ${subject} has no transcript.`
      : `The ${subject} has no transcript in ${wanted}; it has ${formatLanguages(tracks)}.`,
  );
}
