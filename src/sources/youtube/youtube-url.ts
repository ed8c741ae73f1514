/** What a YouTube URL leads to. */
export type YoutubeTarget =
  | { readonly kind: "video"; readonly videoId: string }
  | { readonly kind: "playlist"; readonly playlistId: string }
  /** A channel, identified by its path, e.g. `/@name`. */
  | { readonly kind: "channel"; readonly path: string };

const HOST_PATTERN = /^(?:(?:www|m|music|gaming)\.)?youtube\.com$|^(?:www\.)?youtube-nocookie\.com$/;
/** Video ids have eleven characters today, but their length is not documented. */
const VIDEO_ID_PATTERN = /^[\w-]{1,64}$/;
const PLAYLIST_ID_PATTERN = /^[\w-]{2,64}$/;
/** First path segments that a video id follows. */
const VIDEO_SEGMENTS = new Set(["shorts", "live", "embed", "v", "e", "watch"]);
/** First path segments that the name or id of a channel follows. */
const CHANNEL_SEGMENTS = new Set(["channel", "c", "user"]);

/**
 * Parses the URL of a video (watch, `youtu.be`, shorts, live, embed), playlist or channel (`@handle`, `channel`, `c`,
 * `user`). A URL with both a video and a playlist counts as a video. Returns `null` for any other URL.
 */
export function parseYoutubeUrl(url: string): YoutubeTarget | null {
  if (!URL.canParse(url)) return null;
  const { protocol, username, password, hostname, pathname, searchParams } = new URL(url);
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "") return null;
  const host = hostname.replace(/\.$/, "");
  const [first = "", second = ""] = pathname.split("/").filter((part) => part !== "");
  if (host === "youtu.be") return toVideo(first);
  if (!HOST_PATTERN.test(host)) return null;
  const list = searchParams.get("list");
  if (first === "watch" && second === "") return toVideo(searchParams.get("v") ?? "") ?? toPlaylist(list);
  if (first === "playlist" || (first === "embed" && second === "videoseries")) return toPlaylist(list);
  if (VIDEO_SEGMENTS.has(first)) return toVideo(second);
  return toChannel(pathname, first, second);
}

function toVideo(videoId: string): YoutubeTarget | null {
  return VIDEO_ID_PATTERN.test(videoId) ? { kind: "video", videoId } : null;
}

function toPlaylist(playlistId: string | null): YoutubeTarget | null {
  return playlistId !== null && PLAYLIST_ID_PATTERN.test(playlistId) ? { kind: "playlist", playlistId } : null;
}

/** Returns the channel of a path. A tab of a channel, e.g. `/@name/videos`, counts as the channel. */
function toChannel(pathname: string, first: string, second: string): YoutubeTarget | null {
  const parts = pathname.split("/").filter((part) => part !== "");
  if (/^(?:@|%40)[^/]{1,100}$/.test(first)) return { kind: "channel", path: `/${first.replace("%40", "@")}` };
  if (CHANNEL_SEGMENTS.has(first) && second !== "" && second.length <= 100) {
    return { kind: "channel", path: `/${parts.slice(0, 2).join("/")}` };
  }
  return null;
}

/** Returns the URL of a video's public page. */
export function watchUrl(videoId: string): string {
  return `https://www.youtube.com/watch?v=${videoId}`;
}
