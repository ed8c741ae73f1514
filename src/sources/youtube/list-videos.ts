import { KnowledgeBaseError } from "../../errors.js";
import type { FoundVideo } from "../../interfaces/video-source.js";
import { at, countAt, everyUnder, type Json, labelAt, textAt } from "./json-value.js";
import { pageJson } from "./page-json.js";
import { type Asked, asksForConsent, asksForConsentIn, unknownShape, type YoutubeSite } from "./site.js";
import { watchAddress } from "./youtube-address.js";

/** Parts of a list that are asked for; each has about a hundred videos. */
const MAX_PARTS = 200;

/** What a video is called in lists of before and after 2025. */
const VIDEOS = new Set(["playlistVideoRenderer", "lockupViewModel"]);
const BADGES = new Set(["thumbnailBadgeViewModel"]);
const CONTINUATIONS = new Set(["continuationItemRenderer"]);

/** The videos of a playlist, part by part as the site gives them. */
export async function* listVideos(
  site: YoutubeSite,
  playlistId: string,
  asked: Asked,
): AsyncGenerator<readonly FoundVideo[], void, undefined> {
  const { html, data } = await fetchListPage(site, `/playlist?list=${playlistId}`, asked);
  if (at(data, "contents") === null) throw unknownShape(asked.subject, "list of videos");
  const context = contextOf(html);
  const seen = new Set<string>();
  let part = at(data, "contents");
  for (let count = 1; ; count++) {
    const videos = videosOf(part);
    if (videos.length > 0) yield videos;
    const token = continuationOf(part);
    if (token === null || seen.has(token)) return;
    if (count >= MAX_PARTS) {
      throw new KnowledgeBaseError(
        "limit_exceeded",
        `The ${asked.subject} is longer than the ${MAX_PARTS} parts of a list that are read.`,
      );
    }
    if (context === null) throw unknownShape(asked.subject, "version for asking for the rest of the list");
    seen.add(token);
    part = await fetchPart(site, { token, ...context }, asked);
  }
}

/** The playlist of everything that a channel has uploaded: its id is the channel's, with another beginning. */
export async function uploadsOf(site: YoutubeSite, path: string, asked: Asked): Promise<string> {
  const named = /^\/channel\/UC([\w-]{22})$/.exec(path)?.[1];
  if (named !== undefined) return `UU${named}`;
  const { data } = await fetchListPage(site, path, asked);
  const id = textAt(data, "metadata", "channelMetadataRenderer", "externalId");
  if (id === null || !id.startsWith("UC")) throw unknownShape(asked.subject, "id of the channel");
  return `UU${id.slice(2)}`;
}

async function fetchListPage(site: YoutubeSite, path: string, asked: Asked): Promise<{ html: string; data: Json }> {
  const html = await site.get(path, asked);
  const data = pageJson(html, "ytInitialData");
  if (data === null) {
    throw asksForConsentIn(html) ? asksForConsent(asked.subject) : unknownShape(asked.subject, "ytInitialData");
  }
  const refusal = refusalOf(data);
  if (refusal !== null) {
    throw new KnowledgeBaseError("not_found", `The ${asked.subject} cannot be had: ${refusal}`);
  }
  return { html, data };
}

async function fetchPart(
  site: YoutubeSite,
  { token, version, key }: { readonly token: string; readonly version: string; readonly key: string },
  asked: Asked,
): Promise<Json> {
  const client = { clientName: "WEB", clientVersion: version, hl: "en" };
  const body = { context: { client }, continuation: token };
  const answer = jsonOf(await site.post(`/youtubei/v1/browse?prettyPrint=false${key}`, body, asked));
  const part = at(answer, "onResponseReceivedActions");
  if (part === null) throw unknownShape(asked.subject, "further part of the list");
  return part;
}

/** Why there is no list, in the site's words. */
function refusalOf(data: Json): string | null {
  for (const { value } of everyUnder(at(data, "alerts"), new Set(["alertRenderer"])))
    if (textAt(value, "type") === "ERROR") return labelAt(value, "text") ?? "the site gives no reason.";
  return null;
}

/** What the page's own questions carry. */
function contextOf(html: string): { readonly key: string; readonly version: string } | null {
  const version = /"INNERTUBE_CLIENT_VERSION"\s*:\s*"([\w.-]+)"/.exec(html)?.[1];
  const key = /"INNERTUBE_API_KEY"\s*:\s*"([\w-]+)"/.exec(html)?.[1];
  return version === undefined ? null : { version, key: key === undefined ? "" : `&key=${key}` };
}

function videosOf(part: Json): readonly FoundVideo[] {
  return [...everyUnder(part, VIDEOS)].flatMap(({ key, value }) => {
    const isLockup = key === "lockupViewModel";
    if (isLockup && textAt(value, "contentType") !== "LOCKUP_CONTENT_TYPE_VIDEO") return [];
    const videoId = textAt(value, isLockup ? "contentId" : "videoId");
    if (videoId === null) return [];
    const title = labelAt(value, "title") ?? labelAt(value, "metadata", "lockupMetadataViewModel", "title");
    const badges = [...everyUnder(value, BADGES)].map((badge) => secondsOf(textAt(badge.value, "text")));
    const duration = countAt(value, "lengthSeconds") ?? badges.find((seconds) => seconds !== null) ?? null;
    return [{ videoId, url: watchAddress(videoId), title, duration }];
  });
}

/** `1:02:03` in seconds. */
function secondsOf(clock: string | null): number | null {
  if (clock === null || !/^\d+(?::\d\d){1,2}$/.test(clock)) return null;
  return clock.split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

function continuationOf(part: Json): string | null {
  let token: string | null = null;
  for (const { value } of everyUnder(part, CONTINUATIONS)) {
    const endpoint = at(value, "continuationEndpoint");
    token =
      textAt(endpoint, "continuationCommand", "token") ??
      textAt(endpoint, "commandExecutorCommand", "commands", 1, "continuationCommand", "token") ??
      token;
  }
  return token;
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
