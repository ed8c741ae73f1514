export interface BatchLimits {
  readonly items: number;
  readonly weight: number;
}

/** Where neighbours are parted into batches that keep both limits; an item that is too heavy by itself is alone. Each as [start, end). */
export function packBatches(
  weights: readonly number[],
  limits: BatchLimits,
): readonly (readonly [start: number, end: number])[] {
  const batches: [number, number][] = [];
  let start = 0;
  let weight = 0;
  for (const [index, more] of weights.entries()) {
    const full = index - start >= limits.items || weight + more > limits.weight;
    if (full && index > start) {
      batches.push([start, index]);
      start = index;
      weight = 0;
    }
    weight += more;
  }
  if (weights.length > start) batches.push([start, weights.length]);
  return batches;
}
