/** One after another on each of some lanes, and how long each took. */
export async function load(
  ask: (query: string) => Promise<unknown>,
  queries: readonly string[],
  lanes: number,
): Promise<{ p50Ms: number; p99Ms: number; perSecond: number }> {
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const lane = async () => {
    while (next < queries.length) {
      const query = queries[next++]!;
      const before = performance.now();
      await ask(query);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), perSecond: queries.length / seconds };
}

/** The value below which a share of them lies, of values in rising order. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
