import { randomUUID } from "node:crypto";

/** A new id: the prefix and 122 random bits (a UUID of version 4 without its dashes). */
export function newId(prefix: "ns" | "doc" | "job" | "org" | "key"): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

/** A chunk as callers know it, from the form that stores keep (`<documentId>.<generation>.<n>`). */
export function shownChunkId(documentId: string, ordinal: number): string {
  return `${documentId}#${ordinal}`;
}

/** A chunk as stores keep it, so that two generations of a document never overwrite each other. */
export function storedChunkId(documentId: string, generation: number, ordinal: number): string {
  return `${documentId}.${generation}.${ordinal}`;
}
