// Vectors in the form that SQLite and sqlite-vec store: f32, little-endian like all platforms of Node.

/**
 * Returns a copy of a vector as bytes: embedders may return views of a batch's buffer, which would be sent to a thread
 * as a whole.
 */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.slice().buffer);
}

/** Returns bytes as a vector: a view if the bytes are aligned to four, else a copy. */
export function bytesToVector(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}
