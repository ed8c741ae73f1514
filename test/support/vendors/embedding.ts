import { createHash } from "node:crypto";

/** A vector that is a text's own, not of length 1, with values that JSON keeps. */
export function embeddingOf(text: string, dimensions: number): number[] {
  const digest = createHash("sha256").update(text).digest();
  return Array.from({ length: dimensions }, (_, index) => {
    const byte = digest[index % digest.length]!;
    return Math.fround((byte - 127.5) / 128 / (1 + Math.floor(index / digest.length)));
  });
}

/** The same, of length 1. */
export function unitEmbeddingOf(text: string, dimensions: number): number[] {
  const vector = embeddingOf(text, dimensions);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
