export interface BatchLimits {
  readonly items: number;
  readonly weight: number;
}

/**
 * Splits a sequence into batches within both limits, as [start, end). An item over the weight limit gets its own batch.
 */
export function packBatches(
  weights: readonly number[],
  limits: BatchLimits,
): readonly (readonly [start: number, end: number])[] {
  const batches: [number, number][] = [];
  let start = 0;
  let weight = 0;
  for (const [index, itemWeight] of weights.entries()) {
    const isFull = index - start >= limits.items || weight + itemWeight > limits.weight;
    if (isFull && index > start) {
      batches.push([start, index]);
      start = index;
      weight = 0;
    }
    weight += itemWeight;
  }
  if (weights.length > start) batches.push([start, weights.length]);
  return batches;
}
