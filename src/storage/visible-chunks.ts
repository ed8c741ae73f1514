/** The published chunks of a scope that principals may see, ascending, and the document of each. */
export interface VisibleChunks {
  readonly chunks: Float64Array;
  readonly documents: Float64Array;
}

/** More changed documents than these are not looked up one by one. */
export const MAX_VISIBLE_CHANGES = 1000;

/** Orders chunks, each with the document at the same place of the other list. */
export function toVisibleChunks(chunks: readonly number[], documents: readonly number[]): VisibleChunks {
  const isAscending = chunks.every((chunk, index) => index === 0 || chunks[index - 1]! < chunk);
  if (isAscending) return { chunks: Float64Array.from(chunks), documents: Float64Array.from(documents) };
  const order = [...chunks.keys()].sort((a, b) => chunks[a]! - chunks[b]!);
  return {
    chunks: Float64Array.from(order, (index) => chunks[index]!),
    documents: Float64Array.from(order, (index) => documents[index]!),
  };
}

/** Replaces the chunks of documents that have changed by those that are visible now. */
export function withChanges(
  { chunks, documents }: VisibleChunks,
  changed: ReadonlySet<number>,
  visible: VisibleChunks,
): VisibleChunks {
  const merged = {
    chunks: new Float64Array(chunks.length + visible.chunks.length),
    documents: new Float64Array(chunks.length + visible.chunks.length),
  };
  let [size, next] = [0, 0];
  const add = (from: VisibleChunks, index: number) => {
    merged.chunks[size] = from.chunks[index]!;
    merged.documents[size] = from.documents[index]!;
    size++;
  };
  for (let index = 0; index < chunks.length; index++) {
    if (changed.has(documents[index]!)) continue;
    while (next < visible.chunks.length && visible.chunks[next]! < chunks[index]!) add(visible, next++);
    add({ chunks, documents }, index);
  }
  while (next < visible.chunks.length) add(visible, next++);
  return { chunks: merged.chunks.slice(0, size), documents: merged.documents.slice(0, size) };
}
