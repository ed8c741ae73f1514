import type { NamespaceHandle } from "../../index.js";
import { getOrCreate } from "../../util/get-or-create.js";

/**
 * Returns a function that looks up the media type of a document, each once. The type of a deleted document is
 * `application/octet-stream`.
 */
export function mediaTypesOf({ documents }: NamespaceHandle): (documentId: string) => Promise<string> {
  const types = new Map<string, Promise<string>>();
  const read = async (documentId: string) => {
    const { properties } = await documents.get(documentId).catch(() => ({ properties: null }));
    return properties?.mimeType || "application/octet-stream";
  };
  return (documentId) => getOrCreate(types, documentId, () => read(documentId));
}
