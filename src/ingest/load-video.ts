import { createHash } from "node:crypto";
import { fingerprintPipeline } from "../engine/pipeline-fingerprint.js";
import { KnowledgeBaseError } from "../errors.js";
import type { VideoDetails } from "../interfaces/video-source.js";
import { toWebVtt } from "../sources/transcript-file.js";
import type { DocumentSource, Metadata } from "../types.js";
import type { FetchedSource, LoadContext, LoadedSource } from "./load-context.js";

/** Fetches the transcript of a video, or finds that the transcript is unchanged. */
export async function loadVideo(
  context: LoadContext,
  video: DocumentSource & { readonly type: "YOUTUBE_VIDEO" },
): Promise<FetchedSource> {
  const { engine, document, signal } = context;
  const { languages, includeMetadata } = await readTranscriptOptions(context);
  const { videos, fetch } = engine;
  const transcript = await videos.transcript(video.videoId, languages, { fetch, signal });
  if (transcript.captions.length === 0) {
    throw new KnowledgeBaseError("not_found", `The transcript of video ${video.videoId} is empty.`);
  }
  const { details, language } = transcript;
  const bytes = toWebVtt(transcript);
  const metadata = includeMetadata ? metadataOf(details, language) : {};
  const pipelineFingerprint = fingerprintPipeline(engine, document.config);
  const contentHash = createHash("sha256").update(JSON.stringify(metadata)).update(bytes).digest("hex");
  const sourceVersion = {
    etag: null,
    lastModified: null,
    contentHash,
    pipelineFingerprint,
    fetchedAt: engine.now(),
  };
  const previous = await engine.storage.documents.getSourceVersion({ documentSeq: document.seq, pipelineFingerprint });
  if (previous?.contentHash === contentHash) return { unchanged: sourceVersion };
  const duration = details.duration ?? video.duration ?? null;
  const loaded: LoadedSource = {
    file: { name: null, mimeType: "text/vtt", bytes },
    fileName: null,
    url: video.url,
    fileSize: bytes.length,
    metadata,
    timeKey: "youtube_timestamp",
    source: { ...video, duration },
    sourceVersion,
  };
  return { load: async () => loaded };
}

/** Reads the transcript options in the job's payload. */
async function readTranscriptOptions({
  engine,
  jobId,
}: LoadContext): Promise<{ readonly languages: readonly string[]; readonly includeMetadata: boolean }> {
  const job = await engine.storage.jobs.getContent({ jobId });
  if (!job) throw new KnowledgeBaseError("not_found", "The job has been deleted.");
  const { transcriptLanguages, includeMetadata } = JSON.parse(job.payload);
  return { languages: transcriptLanguages, includeMetadata: includeMetadata === true };
}

/** Returns the metadata of a video. Unknown values are omitted, so that filters on them match nothing. */
function metadataOf({ title, channel, published, views, description }: VideoDetails, language: string): Metadata {
  const values = {
    youtube_title: title,
    youtube_channel: channel,
    youtube_published: published,
    youtube_views: views,
    youtube_description: description,
    youtube_language: language,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
