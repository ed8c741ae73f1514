/** Yields the items of all streams as they arrive. Reads at most `concurrency` streams at a time. */
export async function* mergeStreams<Item>(
  streams: readonly AsyncIterable<Item>[],
  concurrency: number,
): AsyncGenerator<Item> {
  const waiting = streams.values();
  const reading = new Map<AsyncIterator<Item>, Promise<readonly [AsyncIterator<Item>, IteratorResult<Item>]>>();
  const pull = (stream: AsyncIterator<Item>) =>
    reading.set(
      stream,
      stream.next().then((result) => [stream, result] as const),
    );
  const startNext = () => {
    const { value, done } = waiting.next();
    if (!done) pull(value[Symbol.asyncIterator]());
  };
  for (let started = 0; started < concurrency; started++) startNext();
  try {
    while (reading.size > 0) {
      const [stream, { value, done }] = await Promise.race(reading.values());
      reading.delete(stream);
      if (done) startNext();
      else {
        // Requested before the yield, so that the next item can arrive while the consumer works.
        pull(stream);
        yield value;
      }
    }
  } finally {
    for (const [stream, next] of reading) {
      next.catch(() => {});
      void stream.return?.().catch(() => {});
    }
  }
}
