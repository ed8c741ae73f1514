import type { CallOptions } from "../types.js";

/** The forms in which bytes can be passed. */
export type Bytes = Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A range of a file, in bytes. */
export interface ByteRange {
  /** From 0. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** A file that was stored. */
export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
}

/** What a presigned URL of a blob store allows, and for how long. */
export type PresignRequest =
  | {
      readonly method: "PUT";
      /** The content type that the client must declare. */
      readonly contentType: string;
      /** The exact size of the upload, in bytes. */
      readonly size: number;
      readonly expiresInSeconds: number;
    }
  | {
      readonly method: "GET";
      /** The name under which a browser saves the file; any text. */
      readonly fileName: string;
      readonly contentType: string;
      readonly expiresInSeconds: number;
    };

/** Stores files under keys that the engine generates from the characters `[A-Za-z0-9/_.-]`. */
export interface BlobStore {
  /**
   * Stores a file atomically: readers never see a part of it.
   * @throws KnowledgeBaseError `limit_exceeded` for more than `maxBytes`
   */
  put(
    key: string,
    body: Bytes,
    options?: CallOptions & { readonly maxBytes?: number | undefined },
  ): Promise<StoredBlob>;
  /**
   * Reads a file or a range of it; returns null if there is no such key. `size` is always the size of the whole file.
   */
  get(
    key: string,
    options?: CallOptions & { readonly range?: ByteRange | undefined },
  ): Promise<{ readonly size: number; readonly body: ReadableStream<Uint8Array> } | null>;
  /** Deletes a file. Succeeds if there is no such key. */
  delete(key: string, options?: CallOptions): Promise<void>;
  /** Returns an absolute URL at which clients can upload or download the file directly. */
  presign?(key: string, request: PresignRequest): Promise<string>;
  /**
   * Takes over the file that a client has uploaded to a presigned URL. From then on, `get` returns the file, and the
   * client can't change it, although the URL works until it expires. Succeeds if the file has been taken over before.
   * Returns false if there is no such file, or one of another size or SHA-256 (hexadecimal, of uploads that were
   * announced with one). Without this method, a client can replace a file until the URL expires.
   */
  takeUpload?(
    key: string,
    options: CallOptions & { readonly size: number; readonly sha256?: string | undefined },
  ): Promise<boolean>;
  close?(): Promise<void>;
}
