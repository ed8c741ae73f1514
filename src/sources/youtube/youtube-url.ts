/** What a YouTube URL points to. */
export type YoutubeTarget =
  | { readonly kind: "video"; readonly videoId: string }
  | { readonly kind: "playlist"; readonly playlistId: string }
  /** A channel by its path, e.g. `/@name`. */
  | { readonly kind: "channel"; readonly path: string };

const HOSTS = /^(?:(?:www|m|music|gaming)\.)?youtube\.com$|^(?:www\.)?youtube-nocookie\.com$/;
/** Eleven characters today, which is not documented. */
const VIDEO_ID = /^[\w-]{1,64}$/;
const PLAYLIST_ID = /^[\w-]{2,64}$/;
/** Paths followed by a video id. */
const VIDEO_PATHS = new Set(["shorts", "live", "embed", "v", "e", "watch"]);
const CHANNEL_PATHS = new Set(["channel", "c", "user"]);

/**
 * Parses a URL: watch, `youtu.be`, shorts, live, embed; playlist; channel, `@handle`, `c`, `user`. A URL with both
 * a video and a playlist counts as a video. Returns `null` for any other URL.
 */
export function parseYoutubeUrl(url: string): YoutubeTarget | null {
  if (!URL.canParse(url)) return null;
  const { protocol, username, password, hostname, pathname, searchParams } = new URL(url);
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "") return null;
  const host = hostname.replace(/\.$/, "");
  const [first = "", second = ""] = pathname.split("/").filter((part) => part !== "");
  if (host === "youtu.be") return video(first);
  if (!HOSTS.test(host)) return null;
  const list = searchParams.get("list");
  if (first === "watch" && second === "") return video(searchParams.get("v") ?? "") ?? playlist(list);
  if (first === "playlist" || (first === "embed" && second === "videoseries")) return playlist(list);
  if (VIDEO_PATHS.has(first)) return video(second);
  return channel(pathname, first, second);
}

function video(videoId: string): YoutubeTarget | null {
  return VIDEO_ID.test(videoId) ? { kind: "video", videoId } : null;
}

function playlist(playlistId: string | null): YoutubeTarget | null {
  return playlistId !== null && PLAYLIST_ID.test(playlistId) ? { kind: "playlist", playlistId } : null;
}

/** A tab of a channel, e.g. `/@name/videos`, counts as the channel. */
function channel(pathname: string, first: string, second: string): YoutubeTarget | null {
  const parts = pathname.split("/").filter((part) => part !== "");
  if (/^(?:@|%40)[^/]{1,100}$/.test(first)) return { kind: "channel", path: `/${first.replace("%40", "@")}` };
  if (CHANNEL_PATHS.has(first) && second !== "" && second.length <= 100) {
    return { kind: "channel", path: `/${parts.slice(0, 2).join("/")}` };
  }
  return null;
}

/** The public page of a video. */
export function watchUrl(videoId: string): string {
  return `https://www.youtube.com/watch?v=${videoId}`;
}
