import PQueue from "p-queue";

/**
 * Calls `work` for each item, at most `concurrency` at a time, and returns the results in the order of the items. After
 * a failure no further call starts, and the first failure is thrown once the running calls have ended.
 */
export async function mapConcurrent<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const queue = new PQueue({ concurrency });
  const results = new Array<Result>(items.length);
  const failures: unknown[] = [];
  for (const [index, item] of items.entries()) {
    const task = async () => {
      results[index] = await work(item);
    };
    queue.add(task).catch((error: unknown) => {
      failures.push(error);
      queue.clear();
    });
  }
  await queue.onIdle();
  if (failures.length > 0) throw failures[0];
  return results;
}
