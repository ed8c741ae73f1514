// A vector as SQLite and sqlite-vec keep it: f32, little-endian, as every machine that Node runs on has it.

/** A copy of its own: an embedder may return views of one batch's buffer, and a message to a thread would carry all of that. */
export function toBlob(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.slice().buffer);
}

/** A copy, since a view on floats must begin at a multiple of four bytes. */
export function fromBlob(blob: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(blob).buffer);
}
