import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import type { SourceVersion } from "../storage/records/source-versions.js";
import type { CallOptions, DocumentSource, Metadata, Scope } from "../types.js";
import type { IngestEngine } from "./ingest-engine.js";

/** The document to load, and its job. */
export interface LoadContext extends CallOptions {
  readonly engine: IngestEngine;
  readonly jobId: string;
  readonly scope: Scope;
  readonly document: RunnableDocument;
  readonly signal: AbortSignal;
}

/** A document's bytes and their metadata, from any source. */
export interface LoadedSource {
  readonly file: SourceFile | StreamedFile;
  /** Shown in hits as `filename`; `null` if the source has no name. */
  readonly fileName: string | null;
  /** Shown in hits as `url`, without credentials; `null` for a source without a URL. */
  readonly url: string | null;
  /** In bytes. */
  readonly fileSize: number;
  /** SHA-256 of the original bytes, in hex; absent if it hasn't been computed yet. */
  readonly contentHash?: string | undefined;
  /** The source's metadata for every chunk. Keys set by the caller take precedence. */
  readonly metadata?: Metadata | undefined;
  /** The metadata key of a chunk's start time in seconds; absent for sources without times. */
  readonly timeKey?: string | undefined;
  /** The updated source; absent if it has not changed. */
  readonly source?: DocumentSource | undefined;
  /** The version that was fetched, with validators for the next fetch; `null` for sources that are not fetched. */
  readonly sourceVersion: SourceVersion | null;
}

/** A fetched remote source. `unchanged` is its current version: the published generation stays. */
export type FetchedSource =
  | { readonly unchanged: SourceVersion }
  /** The source has changed. Its bytes may be on disk until they are loaded. */
  | { load(): Promise<LoadedSource> };
