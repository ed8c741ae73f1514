/** The range of a block's records that belong to one generation of a document. */
interface Run {
  readonly document: number;
  readonly generation: number;
  readonly from: number;
  readonly to: number;
}

/** The runs of a block, in order. */
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

/** Copied, since a view of floats must be aligned to eight bytes. */
export function floats(blob: Uint8Array): Float64Array {
  return new Float64Array(new Uint8Array(blob).buffer);
}
