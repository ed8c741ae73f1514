/** Reads an async iterable to its end (`Array.fromAsync`, which Node 20 doesn't have). */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
