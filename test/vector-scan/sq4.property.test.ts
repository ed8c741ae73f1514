import fc from "fast-check";
import { expect, it } from "vitest";
import { loadKernel } from "#dist/vector-scan/load-kernel.js";
import { encodeQuery } from "#dist/vector-scan/query.js";
import { recordBytes, strideOf } from "#dist/vector-scan/record.js";
import { ScopeIndex } from "#dist/vector-scan/scope-index.js";
import { Segment } from "#dist/vector-scan/segment.js";
import { oddVectors, randomFrom } from "../support/odd-vectors.js";
import { propertyRuns } from "../support/property-runs.js";
import { recordsOf, unit, wholeOf } from "../support/scan-records.js";

const makeKernel = loadKernel()!;

it("leaves no record out whose cosine reaches the threshold, for any vectors of any dimensions", () => {
  const some = fc.record({ given: oddVectors(), asked: fc.nat(59), below: fc.constantFrom(0, 1e-7, 1e-3, 0.1) });
  fc.assert(
    fc.property(some, ({ given: { dimensions, vectors, query }, asked, below }) => {
      const encoded = encodeQuery(unit(query));
      fc.pre(encoded !== null);
      const cosines = vectors.map((vector) => cosine(unit(vector), unit(query)));
      const segment = segmentOf(dimensions, vectors.map(unit));
      segment.derive("sq4");
      const threshold = (cosines[asked] ?? 0.5) - below;
      const told = toldBy(segment, encoded!, threshold);
      for (const [row, value] of cosines.entries())
        if (value >= threshold) expect(told, `vector ${row}`).toContain(row);
    }),
    { numRuns: propertyRuns(150) },
  );
});

it("looks at few of the records of which all but a few are far", () => {
  const dimensions = 100;
  const random = randomFrom(3);
  const vectors = randomVectors(random, 4000, dimensions);
  const query = encodeQuery(vectors[7]!)!;
  const segment = segmentOf(dimensions, vectors);
  segment.derive("sq4");
  // A record that is looked at from now on is told, whatever its vector.
  for (let row = 0; row < segment.rowCount; row++) setResidual(segment, row, Number.POSITIVE_INFINITY);
  const told = toldBy(segment, query, 0.6);
  expect(told).toContain(7);
  expect(told.length).toBeLessThan(40);
});

it("scores at once where sketches leave most of a block", () => {
  const dimensions = 64;
  const random = randomFrom(4);
  const alike = Array.from({ length: 8192 }, () =>
    unit(Float32Array.from({ length: dimensions }, () => 1 + random() * 0.1)),
  );
  const segment = segmentOf(dimensions, alike);
  segment.derive("sq4");
  // What sketches alone would leave out is told nevertheless, beyond the first block.
  for (let row = 0; row < segment.rowCount; row++) setSq4Residual(segment, row, row < 2048 ? 0.2 : -10);
  expect(toldBy(segment, encodeQuery(alike[0]!)!, 0.9)).toHaveLength(8192);
});

it("writes sketches of a part of the records at a time, and none that take more than they may", () => {
  const dimensions = 16;
  const random = randomFrom(5);
  const index = new ScopeIndex(makeKernel, dimensions);
  index.append(1, recordsOf(randomVectors(random, 40_000, dimensions)));
  const bytes = [index.bytes];
  index.derive("sq4", 1000);
  expect(index.bytes).toBe(bytes[0]);
  for (let time = 0; time < 3; time++) {
    index.derive("sq4", 2 ** 30);
    bytes.push(index.bytes);
  }
  expect(bytes[1]).toBeGreaterThan(bytes[0]!);
  expect(bytes[2]).toBeGreaterThan(bytes[1]!);
  expect(bytes[3]).toBe(bytes[2]);
});

it("finds the nearest of what lives, with 4-bit codes or not, as records come and go", () => {
  const dimensions = 48;
  const random = randomFrom(6);
  const vectors = randomVectors(random, 30_000, dimensions);
  const index = new ScopeIndex(makeKernel, dimensions);
  const living = new Set<number>();
  for (let from = 0; from < vectors.length; from += 5000) {
    index.append(from, recordsOf(vectors.slice(from, from + 5000), from));
    for (let seq = from; seq < from + 5000; seq++) living.add(seq);
    if (from % 10_000 === 0) index.derive("sq4", 2 ** 30);
    if (from === 15_000) {
      index.remove(new Set([5000]));
      for (let seq = 5000; seq < 10_000; seq++) living.delete(seq);
    }
    for (const query of [vectors[5001]!, vectors[from]!]) {
      const nearest = [...living].map((seq) => ({ seq, cosine: cosine(vectors[seq]!, query) }));
      nearest.sort((a, b) => b.cosine - a.cosine);
      const found = index.nearest(encodeQuery(query)!, 10, null).map(({ chunkSeq }) => chunkSeq);
      for (const { seq } of nearest.slice(0, 10)) expect(found).toContain(seq);
      for (const seq of found) expect(living).toContain(seq);
      expect(found.length).toBeLessThan(100);
    }
  }
});

function randomVectors(random: () => number, count: number, dimensions: number): Float32Array[] {
  return Array.from({ length: count }, () => unit(Float32Array.from({ length: dimensions }, () => random() - 0.5)));
}

function segmentOf(dimensions: number, vectors: readonly Float32Array[]): Segment {
  const segment = new Segment(makeKernel, dimensions, 0);
  segment.append(recordsOf(vectors), new Float64Array(vectors.length));
  return segment;
}

function toldBy(segment: Segment, query: NonNullable<ReturnType<typeof encodeQuery>>, threshold: number): number[] {
  const told: number[] = [];
  segment.scanner.scan(query, wholeOf(segment), { threshold, add: (chunkSeq) => void told.push(chunkSeq) });
  return told;
}

function setResidual(segment: Segment, row: number, residual: number): void {
  const { view, layout } = segment.scanner;
  const at = layout.recordsAt + row * recordBytes(layout.dimensions) + strideOf(layout.dimensions) + 4;
  view.setFloat32(at, residual, true);
}

function setSq4Residual(segment: Segment, row: number, residual: number): void {
  const { view, layout } = segment.scanner;
  view.setFloat32(layout.sq4At + (row + 1) * layout.sq4Size - 4, residual, true);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0;
  for (const [index, value] of a.entries()) product += value * b[index]!;
  return product;
}
