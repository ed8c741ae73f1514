/** Which records of a block belong to one generation of a document: from one to before another. */
interface Run {
  readonly document: number;
  readonly generation: number;
  readonly from: number;
  readonly to: number;
}

/** What a block has, in its order. */
export function* runsOf({
  documents,
  generations,
}: {
  readonly documents: Float64Array;
  readonly generations: Float64Array;
}): Generator<Run> {
  for (let from = 0, to = 0; from < documents.length; from = to) {
    const document = documents[from]!;
    const generation = generations[from]!;
    while (to < documents.length && documents[to] === document && generations[to] === generation) to++;
    yield { document, generation, from, to };
  }
}

/** A copy, since a view on floats must begin at a multiple of eight bytes. */
export function floats(blob: Uint8Array): Float64Array {
  return new Float64Array(new Uint8Array(blob).buffer);
}
