import type { VectorMatch, VectorQuery } from "../../interfaces/vector-store.js";
import { normalize, zeroVectorPlaceholder } from "./normalize.js";

/** A query to a vendor. `kind` may restrict it to other than zero vectors, or to placeholders of zero vectors. */
export interface NearestRequest {
  readonly direction: readonly number[];
  readonly topK: number;
  readonly kind: "vector" | "zeros" | "both";
}

/**
 * Ends the vendor's id of a zero vector. Vendors reject zero vectors, so a placeholder is stored, whose similarity is
 * ignored.
 */
const ZERO_VECTOR_SUFFIX = "~0";

/** Returns the id under which a vendor stores a record. */
export function vendorId(id: string, isZeroVector: boolean): string {
  return isZeroVector ? id + ZERO_VECTOR_SUFFIX : id;
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
  const mayMissZeroVectors = last !== undefined && last.similarity < 0;
  // The vendor ranks placeholders by their own similarity: a full result may rank zero vectors too high or miss some.
  if (matches.length >= topK && (mayMissZeroVectors || matches.some(isZeroVector))) {
    const [vectors, zeroVectors] = await Promise.all([
      queryVendor({ direction, topK, kind: "vector" }),
      queryVendor({ direction: placeholder, topK, kind: "zeros" }),
    ]);
    return rank([...vectors, ...zeroVectors]).slice(0, topK);
  }
  return rank(matches);
}

/** Replaces vendors' ids and the similarity of placeholders, and sorts by similarity, then by id. */
function rank(matches: readonly VectorMatch[]): readonly VectorMatch[] {
  return matches
    .map((match) => ({
      id: isZeroVector(match) ? match.id.slice(0, -ZERO_VECTOR_SUFFIX.length) : match.id,
      similarity: isZeroVector(match) ? 0 : Math.min(1, Math.max(-1, match.similarity)),
    }))
    .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1));
}

function isZeroVector({ id }: VectorMatch): boolean {
  return id.endsWith(ZERO_VECTOR_SUFFIX);
}
