import type { CallOptions } from "../types.js";

/** Options of one call of a video source. */
export interface VideoCallOptions extends CallOptions {
  /**
   * Makes external requests. Allows only public hosts and `allowPrivateHosts`, limits times and sizes, and checks
   * redirects.
   */
  readonly fetch: typeof globalThis.fetch;
}

/** A video in a list. */
export interface ListedVideo {
  /** An id that is the same for every URL of the video. A job has one document for each id. */
  readonly videoId: string;
  /** The URL of the page on which to watch it. */
  readonly url: string;
  /** Null if the list doesn't give it. */
  readonly title: string | null;
  /** Seconds; null if the list doesn't give it. */
  readonly duration: number | null;
}

/** A timed piece of a transcript. */
export interface Caption {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Without markup. */
  readonly text: string;
}

/** Details of a video. A detail is null if the site doesn't give it. */
export interface VideoDetails {
  readonly title: string | null;
  readonly channel: string | null;
  /** A date, or date and time, as ISO 8601. */
  readonly published: string | null;
  readonly views: number | null;
  readonly description: string | null;
  /** Seconds. */
  readonly duration: number | null;
}

/** The transcript of a video. */
export interface VideoTranscript {
  /** The language tag of the chosen transcript. */
  readonly language: string;
  /** Whether it was made by speech recognition. */
  readonly isAutomatic: boolean;
  /** In order of time, at least one. */
  readonly captions: readonly Caption[];
  readonly details: VideoDetails;
}

/** A site of videos with transcripts. */
export interface VideoSource {
  readonly name: string;
  /**
   * Recognises a URL by its form. Returns the video, `"list"` for a list of videos, or null for URLs of other sites.
   */
  recognise(address: string): ListedVideo | "list" | null;
  /**
   * Reads the videos of a list in batches, in order. A video may occur twice.
   * @throws KnowledgeBaseError if the list can't be read; `retryable` if a later attempt may succeed
   */
  list(address: string, options: VideoCallOptions): AsyncIterable<readonly ListedVideo[]>;
  /**
   * Reads the transcript of a video in the first of `languages` that is available.
   * @throws KnowledgeBaseError that names the available languages if none of `languages` is; `retryable` if a later
   * attempt may succeed
   */
  transcript(videoId: string, languages: readonly string[], options: VideoCallOptions): Promise<VideoTranscript>;
}
