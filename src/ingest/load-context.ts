import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import type { Origin } from "../storage/records/origins.js";
import type { CallOptions, DocumentSource, Metadata, Scope } from "../types.js";
import type { IngestEngine } from "./ingest-engine.js";

/** What is loaded for: the document, and the job that it is ingested in. */
export interface LoadContext extends CallOptions {
  readonly engine: IngestEngine;
  readonly jobId: string;
  readonly scope: Scope;
  readonly document: RunnableDocument;
  readonly signal: AbortSignal;
}

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

/** A source from outside that is here now. "unchanged" comes with what is known of it: its published generation may stay. */
export type FetchedSource =
  | { readonly unchanged: Origin }
  /** Its bytes may lie on the disk until they are loaded. */
  | { load(): Promise<LoadedSource> };
