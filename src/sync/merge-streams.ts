/** What several streams give, as it comes; at most `width` of them are read at a time, the others after these. */
export async function* mergeStreams<Item>(
  streams: readonly AsyncIterable<Item>[],
  width: number,
): AsyncGenerator<Item> {
  const waiting = streams.values();
  const reading = new Map<AsyncIterator<Item>, Promise<readonly [AsyncIterator<Item>, IteratorResult<Item>]>>();
  const ask = (stream: AsyncIterator<Item>) =>
    reading.set(
      stream,
      stream.next().then((result) => [stream, result] as const),
    );
  const begin = () => {
    const { value, done } = waiting.next();
    if (!done) ask(value[Symbol.asyncIterator]());
  };
  for (let started = 0; started < width; started++) begin();
  try {
    while (reading.size > 0) {
      const [stream, { value, done }] = await Promise.race(reading.values());
      reading.delete(stream);
      if (done) begin();
      else {
        // Asked at once: what comes while this one is looked at waits.
        ask(stream);
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
