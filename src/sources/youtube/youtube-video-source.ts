import type { FoundVideo, VideoSource } from "../../interfaces/video-source.js";
import { parseYoutubeUrl, watchUrl } from "./youtube-url.js";

export interface YoutubeOptions {
  /** Where requests are sent. The URLs of videos don't change. @default "https://www.youtube.com" */
  readonly baseUrl?: string | undefined;
}

/**
 * YouTube videos, read from the site's pages. This is not a public API: after a change of the site, videos and lists
 * may fail with an error that says so.
 */
export function youtubeVideoSource({ baseUrl = "https://www.youtube.com" }: YoutubeOptions = {}): VideoSource {
  const open = async () => new (await import("./site.js")).YoutubeSite(baseUrl);
  return {
    name: "youtube",
    recognise(address): FoundVideo | "list" | null {
      const found = parseYoutubeUrl(address);
      if (found?.kind !== "video") return found === null ? null : "list";
      return { videoId: found.videoId, url: watchUrl(found.videoId), title: null, duration: null };
    },
    async *list(address, options) {
      const found = parseYoutubeUrl(address);
      if (found === null || found.kind === "video") return;
      const { listVideos, uploadsPlaylist } = await import("./list-videos.js");
      const site = await open();
      const isPlaylist = found.kind === "playlist";
      const call = { ...options, subject: isPlaylist ? `playlist ${found.playlistId}` : `channel ${address}` };
      yield* listVideos(site, isPlaylist ? found.playlistId : await uploadsPlaylist(site, found.path, call), call);
    },
    async transcript(videoId, languages, options) {
      const { fetchTranscript } = await import("./fetch-transcript.js");
      return fetchTranscript(await open(), videoId, languages, options);
    },
  };
}
