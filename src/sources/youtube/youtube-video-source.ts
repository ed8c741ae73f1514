import type { ListedVideo, VideoSource } from "../../interfaces/video-source.js";
import { parseYoutubeUrl, watchUrl } from "./youtube-url.js";

export interface YoutubeOptions {
  /** Where requests are sent. Videos keep their public URLs. @default "https://www.youtube.com" */
  readonly baseUrl?: string | undefined;
}

/**
 * Returns a source of YouTube videos, which are read from the site's pages. Because the pages are no public API, videos
 * and lists may fail after a change of the site, with an error that says so.
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
      const { listVideos, getUploadsPlaylistId } = await import("./list-videos.js");
      const site = await openSite();
      const isPlaylist = target.kind === "playlist";
      const call = { ...options, subject: isPlaylist ? `playlist ${target.playlistId}` : `channel ${url}` };
      yield* listVideos(
        site,
        isPlaylist ? target.playlistId : await getUploadsPlaylistId(site, target.path, call),
        call,
      );
    },
    async transcript(videoId, languages, options) {
      const { fetchTranscript } = await import("./fetch-transcript.js");
      return fetchTranscript(await openSite(), videoId, languages, options);
    },
  };
}
