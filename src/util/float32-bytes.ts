// Vectors as SQLite and sqlite-vec store them: f32, little-endian like all platforms of Node.

/** Copies, since embedders may return views of a batch's buffer, which would be sent to a thread as a whole. */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.slice().buffer);
}

/** A view if the bytes are aligned to four, else a copy. */
export function bytesToVector(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}
