import BetterSqlite3 from "better-sqlite3";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { loadVectorFunctions } from "#dist/storage/sqlite/vector-functions.js";
import { vectorToBytes } from "#dist/util/float32-bytes.js";
import { loadKernel } from "#dist/vector-scan/load-kernel.js";
import { encodeQuery } from "#dist/vector-scan/query.js";
import { ScopeIndex } from "#dist/vector-scan/scope-index.js";
import { Segment } from "#dist/vector-scan/segment.js";
import { oddVectors, randomFrom } from "../support/odd-vectors.js";
import { propertyRuns } from "../support/property-runs.js";
import { recordsOf, unit, wholeOf } from "../support/scan-records.js";

const db = new BetterSqlite3(":memory:");
loadVectorFunctions(db);
afterAll(() => db.close());
const distance = db.prepare("SELECT coalesce(vec_distance_cosine(?, ?), 1.0)").pluck();
/** What SQL orders by. */
const distanceOf = (a: Float32Array, b: Float32Array) => distance.get(vectorToBytes(a), vectorToBytes(b)) as number;
const makeKernel = loadKernel()!;

it("bounds the very number that SQL orders by, for any vectors of any dimensions", () => {
  fc.assert(
    fc.property(oddVectors(), ({ dimensions, vectors, query }) => {
      const encoded = encodeQuery(unit(query));
      fc.pre(encoded !== null);
      const segment = new Segment(makeKernel, dimensions, 0);
      segment.append(recordsOf(vectors.map(unit)), new Float64Array(vectors.length));
      const seen = new Set<number>();
      segment.scanner.scan(encoded!, wholeOf(segment), {
        threshold: Number.NEGATIVE_INFINITY,
        add(chunkSeq: number, estimate: number, error: number) {
          seen.add(chunkSeq);
          const similarity = 1 - distanceOf(unit(vectors[chunkSeq]!), unit(query));
          expect(Math.abs(similarity - estimate), `vector ${chunkSeq}`).toBeLessThanOrEqual(error);
        },
      });
      expect(seen.size).toBe(vectors.length);
    }),
    { numRuns: propertyRuns(120) },
  );
});

it("keeps everything that can be among the nearest, of all and of some", () => {
  const some = fc.record({
    given: oddVectors(),
    limit: fc.integer({ min: 1, max: 12 }),
    every: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(some, ({ given: { dimensions, vectors, query }, limit, every }) => {
      const encoded = encodeQuery(unit(query));
      fc.pre(encoded !== null);
      const index = new ScopeIndex(makeKernel, dimensions);
      for (const [seq, vector] of vectors.entries()) index.append(seq, recordsOf([unit(vector)], seq));
      const chunks = Float64Array.from(vectors.keys()).filter((seq) => seq % every === 0);
      for (const asked of [null, chunks]) {
        const among = [...(asked ?? vectors.keys())];
        const nearest = among
          .map((seq) => ({ seq, distance: distanceOf(unit(vectors[seq]!), unit(query)) }))
          .sort((a, b) => a.distance - b.distance || a.seq - b.seq)
          .slice(0, limit);
        const kept = new Set(index.nearest(encoded!, limit, asked).map(({ chunkSeq }) => chunkSeq));
        for (const { seq } of nearest) expect(kept, `vector ${seq}`).toContain(seq);
        for (const seq of kept) expect(among).toContain(seq);
      }
    }),
    { numRuns: propertyRuns(120) },
  );
});

it("leaves most of what is not among the nearest out", () => {
  const random = randomFrom(7);
  const vectors = Array.from({ length: 5000 }, () => unit(Float32Array.from({ length: 96 }, () => random() - 0.5)));
  const index = new ScopeIndex(makeKernel, 96);
  index.append(1, recordsOf(vectors));
  for (const query of vectors.slice(0, 20))
    expect(index.nearest(encodeQuery(query)!, 10, null).length).toBeLessThan(100);
});

it("compares a vector that no bound holds for itself", () => {
  const long = Float32Array.of(1e20, 1e20);
  const broken = Float32Array.of(Number.NaN, 1);
  const index = new ScopeIndex(makeKernel, 2);
  index.append(1, recordsOf([Float32Array.of(1, 0), long, broken]));
  const found = index.nearest(encodeQuery(Float32Array.of(1, 0))!, 1, null).map(({ chunkSeq }) => chunkSeq);
  expect(found.sort()).toEqual([0, 1, 2]);
  for (const vector of [Float32Array.of(0, 0), long, broken]) expect(encodeQuery(vector)).toBeNull();
});

it("adds codes up without overflow where they are as large as they can be", () => {
  for (const dimensions of [2, 16, 1000, 4096, 16_384]) {
    const flat = unit(new Float32Array(dimensions).fill(1));
    const segment = new Segment(makeKernel, dimensions, 0);
    segment.append(recordsOf([flat, flat.map((value) => -value)]), new Float64Array(2));
    const estimates: number[] = [];
    const add = (_: number, estimate: number) => void estimates.push(estimate);
    segment.scanner.scan(encodeQuery(flat)!, wholeOf(segment), { threshold: Number.NEGATIVE_INFINITY, add });
    expect(estimates[0]).toBeCloseTo(1, 3);
    expect(estimates[1]).toBeCloseTo(-1, 3);
  }
});
