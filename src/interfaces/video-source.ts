import type { CallOptions } from "../types.js";

export interface VideoCallOptions extends CallOptions {
  /**
   * What every call to an address outside goes through. It reaches public hosts and those of `allowPrivateHosts`, bounds times and sizes,
   * and follows redirects with care.
   */
  readonly fetch: typeof globalThis.fetch;
}

/** A video as a list names it. */
export interface FoundVideo {
  /** The same under whatever address the video is found: a job has one document of it. */
  readonly videoId: string;
  /** Where a person sees it. */
  readonly url: string;
  /** Null where the list doesn't say. */
  readonly title: string | null;
  /** Seconds; null where the list doesn't say. */
  readonly duration: number | null;
}

/** What is said from a moment on. */
export interface Caption {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Without markup. */
  readonly text: string;
}

/** What a site says of a video; null for what it doesn't say. */
export interface VideoDetails {
  readonly title: string | null;
  readonly channel: string | null;
  /** ISO 8601, a date or a time. */
  readonly published: string | null;
  readonly views: number | null;
  readonly description: string | null;
  /** Seconds. */
  readonly duration: number | null;
}

export interface VideoTranscript {
  /** The language tag of what was chosen. */
  readonly language: string;
  /** Whether speech recognition made it. */
  readonly isAutomatic: boolean;
  /** In the order of time, at least one. */
  readonly captions: readonly Caption[];
  readonly details: VideoDetails;
}

/** A site that has videos with transcripts, and lists of them. */
export interface VideoSource {
  readonly name: string;
  /** What an address leads to, by its form alone: one video, a list of them, or null for what this source doesn't know. */
  recognise(address: string): FoundVideo | "list" | null;
  /**
   * The videos of a list, part by part, in its order. One may come twice.
   * @throws KnowledgeBaseError where the list can't be had, retryable where it may be later
   */
  list(address: string, options: VideoCallOptions): AsyncIterable<readonly FoundVideo[]>;
  /**
   * What is said in a video, in the first of the languages that it has.
   * @throws KnowledgeBaseError where there is none, naming the languages that there are; retryable where it may be had later
   */
  transcript(videoId: string, languages: readonly string[], options: VideoCallOptions): Promise<VideoTranscript>;
}
