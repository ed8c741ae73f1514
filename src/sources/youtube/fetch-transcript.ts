import { KnowledgeBaseError } from "../../errors.js";
import type { VideoCallOptions, VideoTranscript } from "../../interfaces/video-source.js";
import { type CaptionTrack, chooseTrack, languagesOf } from "./choose-track.js";
import { pageJson } from "./page-json.js";
import { type Player, readPlayer } from "./player-response.js";
import { readCaptions } from "./read-captions.js";
import { type Asked, asksForConsent, asksForConsentIn, unknownShape, type YoutubeSite } from "./site.js";

/** Fetches what is said in a video, in the first of the languages that it has. */
export async function fetchTranscript(
  site: YoutubeSite,
  videoId: string,
  languages: readonly string[],
  options: VideoCallOptions,
): Promise<VideoTranscript> {
  const asked = { ...options, subject: `video ${videoId}` };
  const { tracks, details } = await fetchPlayer(site, videoId, asked);
  const track = chooseTrack(tracks, languages);
  if (track === null) throw noTranscript(asked.subject, tracks, languages);
  const captions = readCaptions(await fetchTrack(site, track, asked));
  if (captions === null) throw unknownShape(asked.subject, "transcript that can be read");
  if (captions.length === 0) {
    throw new KnowledgeBaseError("not_found", `The transcript of ${asked.subject} in ${track.language} is empty.`);
  }
  return { language: track.language, isAutomatic: track.isAutomatic, captions, details };
}

async function fetchPlayer(site: YoutubeSite, videoId: string, asked: Asked): Promise<Player> {
  const html = await site.get(`/watch?v=${encodeURIComponent(videoId)}&hl=en`, asked);
  const response = pageJson(html, "ytInitialPlayerResponse");
  if (response === null) {
    throw asksForConsentIn(html)
      ? asksForConsent(asked.subject)
      : unknownShape(asked.subject, "ytInitialPlayerResponse");
  }
  return readPlayer(response, asked.subject);
}

async function fetchTrack(site: YoutubeSite, track: CaptionTrack, asked: Asked): Promise<string> {
  const address = site.resolve(track.address);
  if (address === null) throw unknownShape(asked.subject, "address of a transcript");
  address.searchParams.set("fmt", "json3");
  const answer = await site.get(address.href, asked);
  if (answer.trim() !== "") return answer;
  throw new KnowledgeBaseError(
    "provider_failed",
    `The transcript of ${asked.subject} in ${track.language} cannot be had: the site lists it and answered with nothing, as it does to programs.`,
  );
}

function noTranscript(
  subject: string,
  tracks: readonly CaptionTrack[],
  languages: readonly string[],
): KnowledgeBaseError {
  const wanted = languages.join(", ");
  return new KnowledgeBaseError(
    "not_found",
    tracks.length === 0
      ? `The ${subject} has no transcript.`
      : `The ${subject} has no transcript in ${wanted}; it has ${languagesOf(tracks)}.`,
  );
}
