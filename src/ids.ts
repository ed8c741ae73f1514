import { randomBytes } from "node:crypto";

/** A new id: the prefix and 128 random bits in hexadecimal. */
export function newId(prefix: "ns" | "doc" | "job" | "org" | "key"): string {
  return `${prefix}_${randomBytes(16).toString("hex")}`;
}

/** A chunk as callers know it, from the form that stores keep (`<documentId>.<generation>.<n>`). */
export function shownChunkId(documentId: string, ordinal: number): string {
  return `${documentId}#${ordinal}`;
}

/** A chunk as stores keep it, so that two generations of a document never overwrite each other. */
export function storedChunkId(documentId: string, generation: number, ordinal: number): string {
  return `${documentId}.${generation}.${ordinal}`;
}
