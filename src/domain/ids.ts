import { randomUUID } from "node:crypto";

/** A new id: the prefix and a version 4 UUID without dashes. */
export function newId(prefix: "ns" | "doc" | "job" | "org" | "key" | "fb"): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

/** The public id of a chunk. */
export function publicChunkId(documentId: string, ordinal: number): string {
  return `${documentId}#${ordinal}`;
}

/** The id of a chunk in stores. Includes the generation, so that generations of a document never collide. */
export function storedChunkId(documentId: string, generation: number, ordinal: number): string {
  return `${documentId}.${generation}.${ordinal}`;
}
