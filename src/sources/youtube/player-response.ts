import { KnowledgeBaseError } from "../../errors.js";
import type { VideoDetails } from "../../interfaces/video-source.js";
import type { CaptionTrack } from "./choose-track.js";
import { type Json, labelAt, listAt, numberAt, textAt, valueAt } from "./json-value.js";
import { missingDataError } from "./site.js";

/** A watch page's data about its video. */
export interface PlayerData {
  readonly tracks: readonly CaptionTrack[];
  readonly details: VideoDetails;
}

/**
 * Reads the `ytInitialPlayerResponse` of a watch page.
 * @throws KnowledgeBaseError if the video is not available, with the site's reason
 */
export function readPlayer(response: Json, subject: string): PlayerData {
  const status = textAt(response, "playabilityStatus", "status");
  if (status === null) throw missingDataError(subject, "playability status");
  if (status !== "OK") throw unavailableError(response, status, subject);
  if (valueAt(response, "videoDetails") === null) throw missingDataError(subject, "video details");
  const trackList = listAt(response, "captions", "playerCaptionsTracklistRenderer", "captionTracks");
  const tracks = trackList.flatMap((track): CaptionTrack[] => {
    const [url, language] = [textAt(track, "baseUrl"), textAt(track, "languageCode")];
    return url === null || language === null ? [] : [{ url, language, isAutomatic: textAt(track, "kind") === "asr" }];
  });
  if (tracks.length < trackList.length) throw missingDataError(subject, "transcript URL or language");
  return { tracks, details: readDetails(response) };
}

function readDetails(response: Json): VideoDetails {
  const details = valueAt(response, "videoDetails");
  const format = valueAt(response, "microformat", "playerMicroformatRenderer");
  return {
    title: textAt(details, "title") ?? labelAt(format, "title"),
    channel: textAt(details, "author") ?? textAt(format, "ownerChannelName"),
    published: textAt(format, "publishDate") ?? textAt(format, "uploadDate"),
    views: numberAt(details, "viewCount") ?? numberAt(format, "viewCount"),
    description: textAt(details, "shortDescription") ?? labelAt(format, "description"),
    // The length of a live stream is given as zero.
    duration: numberAt(details, "lengthSeconds") || numberAt(format, "lengthSeconds") || null,
  };
}

function unavailableError(response: Json, status: string, subject: string): KnowledgeBaseError {
  const playability = valueAt(response, "playabilityStatus");
  const siteReason =
    textAt(playability, "reason") ??
    textAt(playability, "messages", 0) ??
    labelAt(playability, "errorScreen", "playerErrorMessageRenderer", "reason") ??
    status;
  const reason = siteReason.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 300);
  const accessError = (code: "not_found" | "forbidden" | "not_ready", problem: string) =>
    new KnowledgeBaseError(code, `The ${subject} ${problem}: ${reason}.`);
  // Bot checks are temporary, although they have the status of age checks.
  if (/not a bot/i.test(reason)) {
    return new KnowledgeBaseError("provider_failed", `The ${subject} is not available for now: ${reason}.`, {
      retryable: true,
    });
  }
  if (/private/i.test(reason)) return accessError("forbidden", "is private");
  if (/^(?:AGE_|CONTENT_CHECK)/.test(status) || /\bage\b/i.test(reason))
    return accessError("forbidden", "is age-restricted");
  if (status === "LIVE_STREAM_OFFLINE") return accessError("not_ready", "has not started");
  if (status === "ERROR") return accessError("not_found", "is not available");
  return accessError("forbidden", "is not available without an account, or not in this region");
}
