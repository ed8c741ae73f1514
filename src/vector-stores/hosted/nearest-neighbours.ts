import type { VectorMatch, VectorQuery } from "../../interfaces/vector-store.js";
import { normalize, zeroVectorPlaceholder } from "./normalize.js";

/** A query to a vendor, for vectors other than zero, for zero vectors, or for both. */
export interface NearestRequest {
  readonly direction: readonly number[];
  readonly topK: number;
  readonly kind: "vector" | "zeros" | "both";
}

/**
 * Marks the vendor's id of a zero vector. Vendors reject zero vectors, so a placeholder is stored and never compared.
 */
const ZEROS_SUFFIX = "~0";

/** Returns the id under which a vendor stores a record. */
export function vendorId(id: string, isZeroVector: boolean): string {
  return isZeroVector ? id + ZEROS_SUFFIX : id;
}

/**
 * Finds the nearest neighbours of a query vector. Zero vectors have similarity 0 to everything. Ties are ordered by id.
 *
 * @param queryVendor Returns matches with the vendor's ids, best first
 */
export async function nearestNeighbours(
  { vector, topK }: Pick<VectorQuery, "vector" | "topK">,
  queryVendor: (request: NearestRequest) => Promise<readonly VectorMatch[]>,
): Promise<readonly VectorMatch[]> {
  const placeholder = zeroVectorPlaceholder(vector.length);
  const direction = normalize(vector);
  if (direction === null) {
    const matches = await queryVendor({ direction: placeholder, topK, kind: "both" });
    return rank(matches.map(({ id }) => ({ id, similarity: 0 })));
  }
  const matches = await queryVendor({ direction, topK, kind: "both" });
  const last = matches.at(-1);
  const mayMissZeros = last !== undefined && last.similarity < 0;
  // The vendor ranks placeholders by their own similarity: a full result may rank zero vectors too high or miss some.
  if (matches.length >= topK && (mayMissZeros || matches.some(hasZerosSuffix))) {
    const [vectors, zeros] = await Promise.all([
      queryVendor({ direction, topK, kind: "vector" }),
      queryVendor({ direction: placeholder, topK, kind: "zeros" }),
    ]);
    return rank([...vectors, ...zeros]).slice(0, topK);
  }
  return rank(matches);
}

function rank(matches: readonly VectorMatch[]): readonly VectorMatch[] {
  return matches
    .map((match) => ({
      id: hasZerosSuffix(match) ? match.id.slice(0, -ZEROS_SUFFIX.length) : match.id,
      similarity: hasZerosSuffix(match) ? 0 : Math.min(1, Math.max(-1, match.similarity)),
    }))
    .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1));
}

function hasZerosSuffix({ id }: VectorMatch): boolean {
  return id.endsWith(ZEROS_SUFFIX);
}
