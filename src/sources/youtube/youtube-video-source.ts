import type { ListedVideo, VideoSource } from "../../interfaces/video-source.js";
import { parseYoutubeUrl, watchUrl } from "./youtube-url.js";

export interface YoutubeOptions {
  /** Where requests are sent. Doesn't affect the URLs of videos. @default "https://www.youtube.com" */
  readonly baseUrl?: string | undefined;
}

/**
 * YouTube videos, read from the site's pages. This is not a public API: after a change of the site, videos and lists
 * may fail with an error that says so.
 */
export function youtubeVideoSource({ baseUrl = "https://www.youtube.com" }: YoutubeOptions = {}): VideoSource {
  const openSite = async () => new (await import("./site.js")).YoutubeSite(baseUrl);
  return {
    name: "youtube",
    recognise(url): ListedVideo | "list" | null {
      const target = parseYoutubeUrl(url);
      if (target?.kind !== "video") return target === null ? null : "list";
      return { videoId: target.videoId, url: watchUrl(target.videoId), title: null, duration: null };
    },
    async *list(url, options) {
      const target = parseYoutubeUrl(url);
      if (target === null || target.kind === "video") return;
      const { listVideos, uploadsPlaylist } = await import("./list-videos.js");
      const site = await openSite();
      const isPlaylist = target.kind === "playlist";
      const call = { ...options, subject: isPlaylist ? `playlist ${target.playlistId}` : `channel ${url}` };
      yield* listVideos(site, isPlaylist ? target.playlistId : await uploadsPlaylist(site, target.path, call), call);
    },
    async transcript(videoId, languages, options) {
      const { fetchTranscript } = await import("./fetch-transcript.js");
      return fetchTranscript(await openSite(), videoId, languages, options);
    },
  };
}
