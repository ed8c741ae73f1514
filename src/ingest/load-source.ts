import type { Engine } from "../engine/engine.js";
import { openUpload } from "../engine/open-upload.js";
import { KnowledgeBaseError } from "../errors.js";
import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import type { Origin } from "../storage/records/origins.js";
import type { CallOptions, DocumentSource, Metadata, Scope } from "../types.js";
import { loadFile } from "./load-file.js";
import { loadPage } from "./load-page.js";
import { loadVideo } from "./load-video.js";

/** A document's bytes and what is known of them, wherever they come from. */
export interface LoadedSource {
  readonly file: SourceFile | StreamedFile;
  /** What hits show as `filename`; null for a text without a name. */
  readonly fileName: string | null;
  /** What hits show as `url`, without credentials; null for what has no address. */
  readonly url: string | null;
  /** Bytes, as they came. */
  readonly fileSize: number;
  /** SHA-256 of the bytes as they came, in hex; absent where nobody has computed it. */
  readonly contentHash?: string | undefined;
  /** What the source says of itself, for every chunk's metadata where the caller has not set the same key. */
  readonly metadata?: Metadata | undefined;
  /** The key under which a chunk's metadata has the second that it begins at; absent for what has no times. */
  readonly timeKey?: string | undefined;
  /** The source as it is known now; absent where that is as before. */
  readonly source?: DocumentSource | undefined;
  /** For what was fetched: what it is known by when it is fetched again. */
  readonly origin: Origin | null;
}

/** What is loaded for: the document, and the job that it is ingested in. */
export interface LoadContext extends CallOptions {
  readonly engine: Engine;
  readonly jobId: string;
  readonly scope: Scope;
  readonly document: RunnableDocument;
  readonly signal: AbortSignal;
}

/** Whether a source is fetched from outside, which takes its time and may find it unchanged. */
export function isOutside(
  source: DocumentSource,
): source is DocumentSource & { readonly type: "FILE" | "YOUTUBE_VIDEO" } {
  return source.type === "FILE" || source.type === "YOUTUBE_VIDEO";
}

/**
 * Loads what is here already.
 * @throws KnowledgeBaseError where the source cannot be had: `unsupported` for kinds without a loader, `not_found` for a lost file
 */
export async function loadSource(context: LoadContext, source: DocumentSource): Promise<LoadedSource> {
  const { name } = context.document;
  switch (source.type) {
    case "TEXT": {
      const bytes = new TextEncoder().encode(source.text);
      return {
        file: { name, mimeType: name === null ? "text/plain" : null, bytes },
        fileName: name,
        url: null,
        fileSize: bytes.length,
        origin: null,
      };
    }
    case "MANAGED_FILE":
      return loadUpload(context, source.key, name);
    case "CRAWLED_PAGE":
      return loadPage(context);
    default:
      throw unsupported(source);
  }
}

/** A source from outside that is here now. "unchanged" comes with what is known of it: its published generation may stay. */
export type FetchedSource =
  | { readonly unchanged: Origin }
  /** Its bytes may lie on the disk until they are loaded. */
  | { load(): Promise<LoadedSource> };

/**
 * Fetches a source from outside.
 *
 * @param path Where a file may be written; whoever fetches removes it.
 * @throws KnowledgeBaseError where the source cannot be had, retryable where it may be later
 */
export async function fetchSource(context: LoadContext, source: DocumentSource, path: string): Promise<FetchedSource> {
  if (source.type === "FILE") return loadFile(context, source, path);
  if (source.type === "YOUTUBE_VIDEO") return loadVideo(context, source);
  throw unsupported(source);
}

function unsupported({ type }: DocumentSource): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "unsupported",
    `unsupported: documents of the kind ${type} cannot be fetched by this version.`,
  );
}

async function loadUpload({ engine, signal }: LoadContext, key: string, name: string | null): Promise<LoadedSource> {
  const { fileName: uploaded, contentType, sha256, size, body } = await openUpload(engine, key, { signal });
  const fileName = name ?? uploaded;
  const declared = contentType === "application/octet-stream" ? null : contentType;
  return {
    file: { name: fileName, mimeType: declared, size, body },
    fileName,
    url: null,
    fileSize: size,
    contentHash: sha256 ?? undefined,
    origin: null,
  };
}
