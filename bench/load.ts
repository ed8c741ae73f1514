/** Runs the queries with a fixed concurrency and returns the latencies. */
export async function load(
  search: (query: string) => Promise<unknown>,
  queries: readonly string[],
  concurrency: number,
): Promise<{ p50Ms: number; p99Ms: number; perSecond: number }> {
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    while (next < queries.length) {
      const query = queries[next++]!;
      const before = performance.now();
      await search(query);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), perSecond: queries.length / seconds };
}

/** The quantile of values in ascending order. @param fraction 0 to 1 */
export function quantile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))]!;
}
