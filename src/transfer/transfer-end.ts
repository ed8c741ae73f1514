import type { BlobStore } from "../interfaces/blob-store.js";
import type { Storage } from "../storage/storage.js";

/** A knowledge base that content is copied from or to. */
export interface TransferEnd {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  /** The path of the folder that `blobs` keeps files in; `null` for another store. */
  readonly blobsFolder: string | null;
  /** The active key first. */
  readonly masterKeys: readonly Uint8Array[];
  /** Milliseconds since the epoch, by the clock of the database. */
  now(): number;
}

export interface TransferEnds {
  readonly from: TransferEnd;
  readonly to: TransferEnd;
}
