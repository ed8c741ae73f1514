// Vectors as SQLite and sqlite-vec store them: f32, little-endian like all platforms of Node.

/** Copies, since embedders may return views of a batch's buffer, which would be sent to a thread as a whole. */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.slice().buffer);
}

/** Copies, since a Float32Array must be aligned to four bytes. */
export function bytesToVector(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}
