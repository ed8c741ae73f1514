import { KnowledgeBaseError } from "../../errors.js";
import type { ListedVideo } from "../../interfaces/video-source.js";
import { findAll, type Json, labelAt, numberAt, parseJson, textAt, valueAt } from "./json-value.js";
import { extractPageJson } from "./page-json.js";
import { missingDataError, type SiteCall, type YoutubeSite } from "./site.js";
import { watchUrl } from "./youtube-url.js";

/** Maximum number of pages to read. Each has about a hundred videos. */
const MAX_PAGES = 200;

/** The keys of videos in lists: the first was used until 2025, the second since then. */
const VIDEO_KEYS = new Set(["playlistVideoRenderer", "lockupViewModel"]);
const BADGE_KEYS = new Set(["thumbnailBadgeViewModel"]);
const CONTINUATION_KEYS = new Set(["continuationItemRenderer"]);

/** Yields the videos of a playlist, page by page. */
export async function* listVideos(
  site: YoutubeSite,
  playlistId: string,
  call: SiteCall,
): AsyncGenerator<readonly ListedVideo[], void, undefined> {
  const { html, data } = await fetchListPage(site, `/playlist?list=${playlistId}`, call);
  if (valueAt(data, "contents") === null) throw missingDataError(call.subject, "list of videos");
  const context = readClientContext(html);
  const seenTokens = new Set<string>();
  let page = valueAt(data, "contents");
  for (let pageCount = 1; ; pageCount++) {
    const videos = readVideos(page);
    if (videos.length > 0) yield videos;
    const token = findContinuationToken(page);
    if (token === null || seenTokens.has(token)) return;
    if (pageCount >= MAX_PAGES) {
      throw new KnowledgeBaseError(
        "limit_exceeded",
        `The ${call.subject} has more than ${MAX_PAGES} pages of videos, which is the limit.`,
      );
    }
    if (context === null) throw missingDataError(call.subject, "client version for the next page of the list");
    seenTokens.add(token);
    page = await fetchPage(site, { token, ...context }, call);
  }
}

/** Returns the id of a channel's playlist of all uploads: the channel id with another prefix. */
export async function getUploadsPlaylistId(site: YoutubeSite, path: string, call: SiteCall): Promise<string> {
  const idSuffix = /^\/channel\/UC([\w-]{22})$/.exec(path)?.[1];
  if (idSuffix !== undefined) return `UU${idSuffix}`;
  const { data } = await fetchListPage(site, path, call);
  const id = textAt(data, "metadata", "channelMetadataRenderer", "externalId");
  if (id === null || !id.startsWith("UC")) throw missingDataError(call.subject, "channel id");
  return `UU${id.slice(2)}`;
}

async function fetchListPage(site: YoutubeSite, path: string, call: SiteCall): Promise<{ html: string; data: Json }> {
  const html = await site.get(path, call);
  const data = extractPageJson(html, "ytInitialData", call.subject);
  const reason = findErrorReason(data);
  if (reason !== null) {
    throw new KnowledgeBaseError("not_found", `The ${call.subject} is not available: ${reason}`);
  }
  return { html, data };
}

async function fetchPage(
  site: YoutubeSite,
  { token, version, keyParameter }: { readonly token: string; readonly version: string; readonly keyParameter: string },
  call: SiteCall,
): Promise<Json> {
  const client = { clientName: "WEB", clientVersion: version, hl: "en" };
  const body = { context: { client }, continuation: token };
  const response = parseJson(await site.post(`/youtubei/v1/browse?prettyPrint=false${keyParameter}`, body, call));
  const page = valueAt(response, "onResponseReceivedActions");
  if (page === null) throw missingDataError(call.subject, "next page of the list");
  return page;
}

/** Returns the site's reason for not showing a list; `null` if it shows a list. */
function findErrorReason(data: Json): string | null {
  for (const { value } of findAll(valueAt(data, "alerts"), new Set(["alertRenderer"])))
    if (textAt(value, "type") === "ERROR") return labelAt(value, "text") ?? "the site gives no reason.";
  return null;
}

/** Returns the version and key of the page's own API requests; `null` if the version is missing. */
function readClientContext(html: string): { readonly keyParameter: string; readonly version: string } | null {
  const version = /"INNERTUBE_CLIENT_VERSION"\s*:\s*"([\w.-]+)"/.exec(html)?.[1];
  const key = /"INNERTUBE_API_KEY"\s*:\s*"([\w-]+)"/.exec(html)?.[1];
  return version === undefined ? null : { version, keyParameter: key === undefined ? "" : `&key=${key}` };
}

function readVideos(page: Json): readonly ListedVideo[] {
  return [...findAll(page, VIDEO_KEYS)].flatMap(({ key, value }) => {
    const isLockup = key === "lockupViewModel";
    if (isLockup && textAt(value, "contentType") !== "LOCKUP_CONTENT_TYPE_VIDEO") return [];
    const videoId = textAt(value, isLockup ? "contentId" : "videoId");
    if (videoId === null) return [];
    const title = labelAt(value, "title") ?? labelAt(value, "metadata", "lockupMetadataViewModel", "title");
    const durations = [...findAll(value, BADGE_KEYS)].map((badge) => parseDuration(textAt(badge.value, "text")));
    const duration = numberAt(value, "lengthSeconds") ?? durations.find((seconds) => seconds !== null) ?? null;
    return [{ videoId, url: watchUrl(videoId), title, duration }];
  });
}

/** Converts a duration such as `1:02:03` to seconds. Returns `null` for any other text. */
function parseDuration(text: string | null): number | null {
  if (text === null || !/^\d+(?::\d\d){1,2}$/.test(text)) return null;
  return text.split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

/** Returns the token that requests the next page; `null` for the last page. */
function findContinuationToken(page: Json): string | null {
  let token: string | null = null;
  for (const { value } of findAll(page, CONTINUATION_KEYS)) {
    const endpoint = valueAt(value, "continuationEndpoint");
    token =
      textAt(endpoint, "continuationCommand", "token") ??
      textAt(endpoint, "commandExecutorCommand", "commands", 1, "continuationCommand", "token") ??
      token;
  }
  return token;
}
