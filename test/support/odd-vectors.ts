import fc from "fast-check";

/** Vectors that are hard to compare: many alike, zeros, a single value, very uneven values, very short and very long ones. */
const SHAPES: Record<string, (random: () => number, index: number, dimensions: number) => number> = {
  zeros: () => 0,
  even: (random) => random() - 0.5,
  single: (_, index, dimensions) => (index === dimensions >> 1 ? 1 : 0),
  uneven: (random, index) => (index === 0 ? 1 : (random() - 0.5) * 1e-3),
  steep: (random, index) => (random() - 0.5) * 0.7 ** (index % 200),
  signs: (random) => (random() < 0.5 ? -1 : 1),
  halves: (random) => (Math.floor(random() * 256) - 128 + 0.5) / 127,
  constant: () => 1,
};

export interface OddVectors {
  readonly dimensions: number;
  readonly vectors: readonly Float32Array[];
  readonly query: Float32Array;
}

/** Some of them, with copies, opposites and near copies among them. */
export function oddVectors({
  dimensions = fc.oneof(fc.integer({ min: 2, max: 70 }), fc.integer({ min: 2, max: 4096 })),
  most = 60,
}: {
  readonly dimensions?: fc.Arbitrary<number>;
  readonly most?: number;
} = {}): fc.Arbitrary<OddVectors> {
  const shape = fc.record({
    shape: fc.constantFrom(...Object.keys(SHAPES)),
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
    length: fc.constantFrom(1, 1, 1e-30, 1e30),
    /** Another one that it is a copy, an opposite or nearly a copy of. */
    like: fc.option(
      fc.record({ index: fc.nat(most), factor: fc.constantFrom(1, -1, 2), noise: fc.constantFrom(0, 1e-7, 1e-3) }),
    ),
  });
  return fc
    .record({
      dimensions,
      shapes: fc.array(shape, { minLength: 1, maxLength: most }),
      asked: fc.nat(most),
      query: shape,
    })
    .map(({ dimensions: n, shapes, asked, query }) => {
      const vectors: Float32Array[] = [];
      for (const { shape: name, seed, length, like } of shapes) {
        const random = randomFrom(seed);
        const model = like ? vectors[like.index] : undefined;
        vectors.push(
          Float32Array.from({ length: n }, (_, index) =>
            model && like
              ? model[index]! * like.factor + model[index]! * like.noise * (random() - 0.5)
              : SHAPES[name]!(random, index, n) * length,
          ),
        );
      }
      const random = randomFrom(query.seed);
      const near = vectors[asked];
      const vector =
        near?.slice() ?? Float32Array.from({ length: n }, (_, index) => SHAPES[query.shape]!(random, index, n));
      return { dimensions: n, vectors, query: vector };
    });
}

/** Marsaglia's xorshift of 32 bits, 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
