import { randomUUID } from "node:crypto";

/** Returns a new id: the prefix, `_` and a version 4 UUID without dashes. */
export function newId(
  prefix: "ns" | "doc" | "job" | "org" | "key" | "fb" | "click" | "gq" | "eval" | "wh" | "msg" | "ping",
): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

/** Returns the id of a chunk that callers see. It stays the same when the document is ingested again. */
export function publicChunkId(documentId: string, ordinal: number): string {
  return `${documentId}#${ordinal}`;
}

/** Returns the id of a chunk in vector stores. It differs between generations, so that they never collide. */
export function storedChunkId(documentId: string, generation: number, ordinal: number): string {
  return `${documentId}.${generation}.${ordinal}`;
}
