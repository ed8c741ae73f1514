import type { DocumentSource } from "../types.js";

/** Parses a stored source. One that is damaged doesn't break the list that it is in. */
export function parseSource(json: string): DocumentSource {
  try {
    const source: unknown = JSON.parse(json);
    if (typeof source === "object" && source !== null && "type" in source) return source as DocumentSource;
  } catch {
    // Damaged, like JSON without a type.
  }
  return { type: "UNREADABLE" };
}
