import type { CallOptions } from "../types.js";

/** Bytes as a caller may hold them. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A part of a file, in bytes. */
export interface ByteRange {
  /** From 0. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
}

/** What a URL of a blob store's own lets whoever holds it do, for how long. */
export type PresignRequest =
  | {
      readonly method: "PUT";
      /** What the sender must declare. */
      readonly contentType: string;
      /** Bytes: exactly as many must come. */
      readonly size: number;
      readonly expiresInSeconds: number;
    }
  | {
      readonly method: "GET";
      /** What the file is to be saved as, any text. */
      readonly fileName: string;
      readonly contentType: string;
      readonly expiresInSeconds: number;
    };

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
  /** Null where there is no such key. `size` is the whole file's, whatever the range, and what lies beyond it is left out. */
  get(
    key: string,
    options?: CallOptions & { readonly range?: ByteRange | undefined },
  ): Promise<{ readonly size: number; readonly body: ReadableStream<Uint8Array> } | null>;
  /** Removing what is not there is no error. */
  delete(key: string, options?: CallOptions): Promise<void>;
  /** For a store that is reached by itself: an absolute URL to send the bytes of a key to, or to fetch them from. */
  presign?(key: string, request: PresignRequest): Promise<string>;
  close?(): Promise<void>;
}
