import * as sqliteVec from "sqlite-vec";
import type { Connection } from "./connection.js";

/**
 * Adds `vec_distance_cosine` to a connection. Uses sqlite-vec or, if its binary is absent (`--omit=optional` skips it,
 * and not every platform has one), an implementation in JavaScript, which is several times slower.
 */
export function loadVectorFunctions(db: Connection): void {
  try {
    sqliteVec.load(db);
  } catch {
    db.function("vec_distance_cosine", { deterministic: true }, (a: unknown, b: unknown) =>
      cosineDistance(toFloats(a as Uint8Array), toFloats(b as Uint8Array)),
    );
  }
}

/** Returns 1 - cosine similarity; `null` if either vector is all zeros, as SQLite turns sqlite-vec's NaN into NULL. */
export function cosineDistance(a: Float32Array, b: Float32Array): number | null {
  if (a.length !== b.length) throw new Error(`Vectors of ${a.length} and ${b.length} dimensions cannot be compared.`);
  let product = 0;
  let squaredNormA = 0;
  let squaredNormB = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    product += x * y;
    squaredNormA += x * x;
    squaredNormB += y * y;
  }
  const distance = 1 - product / Math.sqrt(squaredNormA * squaredNormB);
  return Number.isNaN(distance) ? null : distance;
}

/** Returns a view of a blob as floats. Copies the blob if it isn't aligned to four bytes. */
function toFloats(blob: Uint8Array): Float32Array {
  const aligned = blob.byteOffset % 4 === 0 ? blob : blob.slice();
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
