/** Calls `work` for each item, at most `width` at a time, and gives its results in the items' order. The first failure ends it. */
export async function mapConcurrent<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, lane));
  for (const lane of ended) if (lane.status === "rejected") throw lane.reason;
  return results;
}
