import type { VectorMatch, VectorQuery } from "../../interfaces/vector-store.js";
import { directionOf, standIn } from "./direction.js";

/** What a vendor is asked for: records of vectors, of zeros, or both. */
export interface NearestRequest {
  readonly direction: readonly number[];
  readonly topK: number;
  readonly kind: "vector" | "zeros" | "both";
}

/** Ends the vendor's id of a vector of zeros, which vendors refuse: it is kept as another one and never compared. */
const ZEROS = "~0";

export function vendorId(id: string, zeros: boolean): string {
  return zeros ? id + ZEROS : id;
}

/**
 * The records nearest to a query's vector, where a vector of zeros is as like everything as it is unlike it (similarity 0). Equal
 * similarities stand in the order of their ids.
 *
 * @param ask Gives the vendor's matches under the vendor's ids, best first.
 */
export async function nearest(
  { vector, topK }: Pick<VectorQuery, "vector" | "topK">,
  ask: (request: NearestRequest) => Promise<readonly VectorMatch[]>,
): Promise<readonly VectorMatch[]> {
  const anywhere = standIn(vector.length);
  const direction = directionOf(vector);
  if (direction === null) {
    const matches = await ask({ direction: anywhere, topK, kind: "both" });
    return ranked(matches.map(({ id }) => ({ id, similarity: 0 })));
  }
  const matches = await ask({ direction, topK, kind: "both" });
  const last = matches.at(-1);
  const zerosElsewhere = last !== undefined && last.similarity < 0;
  // Zeros stand where their stand-ins do: what is full may hold some that are too near, or lack some that are too far.
  if (matches.length >= topK && (zerosElsewhere || matches.some(isZeros))) {
    const [near, zeros] = await Promise.all([
      ask({ direction, topK, kind: "vector" }),
      ask({ direction: anywhere, topK, kind: "zeros" }),
    ]);
    return ranked([...near, ...zeros]).slice(0, topK);
  }
  return ranked(matches);
}

function ranked(matches: readonly VectorMatch[]): readonly VectorMatch[] {
  return matches
    .map((match) => ({
      id: isZeros(match) ? match.id.slice(0, -ZEROS.length) : match.id,
      similarity: isZeros(match) ? 0 : Math.min(1, Math.max(-1, match.similarity)),
    }))
    .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1));
}

function isZeros({ id }: VectorMatch): boolean {
  return id.endsWith(ZEROS);
}
