export interface BatchLimits {
  readonly maxItems: number;
  /** Maximum sum of the items' weights. */
  readonly maxWeight: number;
}

/**
 * Splits a sequence of items with the given weights into batches within both limits, as [start, end). An item over the
 * weight limit gets its own batch.
 */
export function packBatches(
  weights: readonly number[],
  limits: BatchLimits,
): readonly (readonly [start: number, end: number])[] {
  const batches: [number, number][] = [];
  let start = 0;
  let weight = 0;
  for (const [index, itemWeight] of weights.entries()) {
    const isFull = index - start >= limits.maxItems || weight + itemWeight > limits.maxWeight;
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
