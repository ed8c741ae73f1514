/** Returns the largest number of a list of any length. */
export function maxOf(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/** Returns the smallest number of a list of any length; spreading the list into a call could overflow the stack. */
export function minOf(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** Returns the median of a list of numbers; 0 if the list is empty. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
