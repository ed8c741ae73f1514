import type { NamespaceHandle } from "../../index.js";

/** Returns a function that looks up the media type of a document; unknown once the document is deleted. */
export function mediaTypesOf({ documents }: NamespaceHandle): (documentId: string) => Promise<string> {
  return async (documentId) => {
    const { properties } = await documents.get(documentId).catch(() => ({ properties: null }));
    return properties?.mimeType || "application/octet-stream";
  };
}
