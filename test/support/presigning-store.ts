import { fileBlobStore } from "#dist/blob-stores/file/blob-store.js";
import type { BlobStore, PresignRequest } from "../../src/interfaces/blob-store.js";

/** A blob store that callers reach by themselves: its URLs say what they were asked for. */
export function presigningStore(directory: string): BlobStore {
  return {
    ...fileBlobStore({ directory }),
    async presign(key: string, request: PresignRequest) {
      const asked = Object.entries(request).map(([name, value]): [string, string] => [name, String(value)]);
      return `https://files.example/${key}?${new URLSearchParams(asked)}`;
    },
  };
}
