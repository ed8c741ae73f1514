/** The number of hits by which two rankings are compared. */
export const AGREEMENT_DEPTH = 10;
/**
 * How far a reader goes on from one rank to the next. With 0.9, the first ten ranks have 86 % of the weight (Webber, Moffat
 * and Zobel 2010, section 5).
 */
const PERSISTENCE = 0.9;

/** Computes the share of the first ten hits of the longer ranking that both have, 0 to 1; 1 if both are empty. */
export function overlap(ranking: readonly string[], other: readonly string[]): number {
  const [first, second] = [ranking.slice(0, AGREEMENT_DEPTH), other.slice(0, AGREEMENT_DEPTH)];
  const longer = Math.max(first.length, second.length);
  const found = new Set(second);
  return longer === 0 ? 1 : first.filter((id) => found.has(id)).length / longer;
}

/**
 * Computes the rank-biased overlap of the first ten hits of two rankings, 0 to 1: the mean of the overlaps at each depth,
 * weighted by how likely a reader looks that far, and extrapolated beyond the last hits (RBO_EXT for rankings of different
 * lengths, Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010, equation 32).
 * Returns 1 if both are empty, and 0 if one is.
 */
export function rankBiasedOverlap(ranking: readonly string[], other: readonly string[]): number {
  const [first, second] = [ranking.slice(0, AGREEMENT_DEPTH), other.slice(0, AGREEMENT_DEPTH)];
  const [shorter, longer] = first.length <= second.length ? [first, second] : [second, first];
  if (shorter.length === 0) return longer.length === 0 ? 1 : 0;
  const inShorter = new Set<string>();
  const inLonger = new Set<string>();
  let common = 0;
  let commonOfShorter = 0;
  let sum = 0;
  for (const [index, id] of longer.entries()) {
    const depth = index + 1;
    const weight = PERSISTENCE ** depth;
    inLonger.add(id);
    if (inShorter.has(id)) common++;
    const otherId = shorter[index];
    if (otherId !== undefined) {
      inShorter.add(otherId);
      if (inLonger.has(otherId)) common++;
      commonOfShorter = common;
    } else {
      // Beyond its end, the shorter ranking is taken to agree as it has so far.
      sum += ((commonOfShorter * (depth - shorter.length)) / (shorter.length * depth)) * weight;
    }
    sum += (common / depth) * weight;
  }
  const rest = (common - commonOfShorter) / longer.length + commonOfShorter / shorter.length;
  return Math.min(1, ((1 - PERSISTENCE) / PERSISTENCE) * sum + rest * PERSISTENCE ** longer.length);
}
