import type { CallOptions } from "../types.js";

/** Bytes as a caller may hold them. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
}

/** Keeps files under keys that the engine makes: `[A-Za-z0-9/_.-]`, never a caller's text. */
export interface BlobStore {
  /**
   * Stores a whole file or nothing: a reader never sees a part of it.
   * Fails with `limit_exceeded` past `maxBytes`.
   */
  put(
    key: string,
    body: Bytes,
    options?: CallOptions & { readonly maxBytes?: number | undefined },
  ): Promise<StoredBlob>;
  /** Null where there is no such key. `range` is in bytes, `end` exclusive. */
  get(
    key: string,
    options?: CallOptions & { readonly range?: { readonly start: number; readonly end: number } | undefined },
  ): Promise<{ readonly size: number; readonly body: ReadableStream<Uint8Array> } | null>;
  /** Removing what is not there is no error. */
  delete(key: string, options?: CallOptions): Promise<void>;
  close?(): Promise<void>;
}
