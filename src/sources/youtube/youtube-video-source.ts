import type { FoundVideo, VideoSource } from "../../interfaces/video-source.js";
import { watchAddress, youtubeAddress } from "./youtube-address.js";

export interface YoutubeOptions {
  /** Where the site is asked; addresses of videos stay what they are. @default "https://www.youtube.com" */
  readonly baseUrl?: string | undefined;
}

/**
 * The videos of YouTube, read from what its pages hold. The site promises none of it: where it has changed, videos and lists fail with an
 * error that says so.
 */
export function youtubeVideoSource({ baseUrl = "https://www.youtube.com" }: YoutubeOptions = {}): VideoSource {
  const open = async () => new (await import("./site.js")).YoutubeSite(baseUrl);
  return {
    name: "youtube",
    recognise(address): FoundVideo | "list" | null {
      const found = youtubeAddress(address);
      if (found?.kind !== "video") return found === null ? null : "list";
      return { videoId: found.videoId, url: watchAddress(found.videoId), title: null, duration: null };
    },
    async *list(address, options) {
      const found = youtubeAddress(address);
      if (found === null || found.kind === "video") return;
      const { listVideos, uploadsOf } = await import("./list-videos.js");
      const site = await open();
      const isPlaylist = found.kind === "playlist";
      const asked = { ...options, subject: isPlaylist ? `playlist ${found.playlistId}` : `channel ${address}` };
      yield* listVideos(site, isPlaylist ? found.playlistId : await uploadsOf(site, found.path, asked), asked);
    },
    async transcript(videoId, languages, options) {
      const { fetchTranscript } = await import("./fetch-transcript.js");
      return fetchTranscript(await open(), videoId, languages, options);
    },
  };
}
