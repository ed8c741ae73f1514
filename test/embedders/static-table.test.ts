import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PieceIndex } from "#dist/embedders/static/piece-index.js";
import { readTable, writeTable } from "#dist/embedders/static/table-file.js";
import { TextEmbedder } from "#dist/embedders/static/text-embedder.js";
import { makeTable } from "../support/make-table.js";

const ROWS = {
  doctor: [30_000, 1, 2, -20],
  physician: [20_000, 1, 2, -20],
  boat: [30_000, 3, 4, 31],
  ship: [10_000, 3, 4, 31],
  the: [1, 0],
  b: [5, 5],
  "##oat": [700, -6],
  "##s": [500, 7],
} as const;
const table = makeTable(ROWS);
const embedder = new TextEmbedder(table, 0.5);

function embed(text: string, by = embedder): Float32Array {
  const vector = new Float32Array(by.dimensions);
  by.embed(text, vector);
  return vector;
}

const similarity = (a: string, b: string) => {
  const [left, right] = [embed(a), embed(b)];
  return left.reduce((sum, value, at) => sum + value * right[at]!, 0);
};

describe("the vector of a text", () => {
  it("has what the table learned before the hash, each with its weight", () => {
    expect(embedder.dimensions).toBe(32 + 1024);
    expect(similarity("doctor", "physician")).toBeCloseTo(0.5, 2);
    expect(similarity("doctor", "doctor")).toBeCloseTo(1, 5);
    expect(similarity("doctor", "boat")).toBeCloseTo(0, 1);
  });

  it("has the mean direction of its pieces, by their weights", () => {
    const [both, heavy] = [embed("boat physician"), embed("physician")];
    const lengths = [both[3]!, both[1]!];
    expect(lengths[0]! / lengths[1]!).toBeCloseTo(30_000 / 20_000, 4);
    expect(heavy[20]).toBeLessThan(0);
  });

  it("is that of one part where the other knows nothing", () => {
    const unknown = embed("日本語");
    expect(unknown.subarray(0, 32).every((value) => value === 0)).toBe(true);
    expect(similarity("日本語", "日本語")).toBeCloseTo(1, 5);
    expect(embed("… !").every((value) => value === 0)).toBe(true);
  });

  it("counts the learned part by the share of tokens that are pieces", () => {
    const learned = (text: string) => Math.hypot(...embed(text).subarray(0, 32));
    const hashed = (text: string) => Math.hypot(...embed(text).subarray(32));
    expect(learned("doctor boats") ** 2).toBeCloseTo(0.5, 5);
    // One of four words, and of the word and three characters.
    for (const text of ["doctor лодка море порт", "doctor 漢字文"]) {
      expect(learned(text) ** 2).toBeCloseTo(0.5 / 4, 5);
      expect(hashed(text) ** 2).toBeCloseTo(1 - 0.5 / 4, 5);
    }
  });

  it("has words that are pieces by their stems, whatever came before, and others by themselves", () => {
    const words = { walk: [1, 0], walking: [1, 1], walks: [1, 2], zebu: [1, 3] } as const;
    const some = new TextEmbedder(makeTable(words), 0.5);
    const hashed = (text: string) => [...embed(text, some).subarray(32)];
    const product = (a: string, b: string) => hashed(a).reduce((sum, value, at) => sum + value * hashed(b)[at]!, 0);
    expect(product("walking", "walks") / product("walks", "walks")).toBeGreaterThan(0.9);
    expect(product("zebus", "zebu") / product("zebu", "zebu")).toBeLessThan(0.5);
    expect(hashed("walks")).toEqual([...embed("walks", new TextEmbedder(makeTable(words), 0.5)).subarray(32)]);
  });

  it("is the same by the kernel and without it, however long the text is", () => {
    const plain = new TextEmbedder(table, 0.5, { useKernel: false });
    const words = fc.constantFrom("doctor", "Boats", "the", "ship's", "xyz", "boatoatsss", "漢字");
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), fc.integer({ min: 1, max: 400 }), (some, times) => {
        const text = `${some.join(" ")} `.repeat(times);
        const [kernel, script] = [embed(text), embed(text, plain)];
        return kernel.every((value, at) => Math.abs(value - script[at]!) < 1e-5);
      }),
      { numRuns: 60 },
    );
  });

  it("does not depend on the texts before it", () => {
    const before = embed("doctor");
    embed("boat ".repeat(20_000));
    expect(embed("doctor")).toEqual(before);
  });

  it("comes with the number of its tokens: pieces, and characters where no spaces part words", () => {
    const counts = ["", "Doctors", "boats the xyz", "漢字 doctor"].map((text) => [
      embedder.countTokens(text),
      embedder.embed(text, new Float32Array(embedder.dimensions)),
    ]);
    expect(counts).toEqual([
      [0, 0],
      [2, 2],
      [4, 4],
      [3, 3],
    ]);
  });
});

describe.each([true, false])("the pieces of a word, by the kernel: %s", (useKernel) => {
  const index = new PieceIndex(table.vocabulary, table.pieceCount, { useKernel });
  const names = table.vocabulary.split("\n");
  const split = (word: string) => {
    const pieces = new Uint16Array(32);
    return [...pieces.subarray(0, index.split(word, 0, word.length, pieces, 0))].map((piece) => names[piece]);
  };

  it("are the longest that fit, one after another, and what fits nowhere is passed over", () => {
    expect(split("boats")).toEqual(["boat", "##s"]);
    expect(split("boatsoat")).toEqual(["boat", "##s", "##oat"]);
    expect(split("bxoat")).toEqual(["b", "##oat"]);
    expect(split("oat")).toEqual([]);
    expect(split("s")).toEqual([]);
  });

  it("are of any script, and may be a number sign", () => {
    const vocabulary = "größe\n##\n#\n##ή\nλ\n##漢\n";
    const other = new PieceIndex(vocabulary, 6, { useKernel });
    const pieces = new Uint16Array(16);
    const numbers = (word: string) => [...pieces.subarray(0, other.split(word, 0, word.length, pieces, 0))];
    expect([other.size, numbers("größe"), numbers("λή漢ή"), numbers("##"), numbers("#")]).toEqual([
      6,
      [0],
      [4, 3, 5, 3],
      [1],
      [2],
    ]);
  });

  it("are as many as the vocabulary has", () => {
    expect(new PieceIndex("a\nb\n", 3, { useKernel }).size).toBe(2);
    expect(new PieceIndex("a\nb\nc\n", 2, { useKernel }).size).toBe(3);
  });

  it("are sixteen at most", () => {
    expect(split(`boat${"s".repeat(40)}`)).toHaveLength(16);
  });
});

describe("the file of a table", () => {
  const file = writeTable(table);

  it("is read as it was written", () => {
    const read = readTable(file, "table");
    expect({ ...read, weights: [...read.weights], codes: [...read.codes] }).toEqual({
      ...table,
      weights: [...table.weights],
      codes: [...table.codes],
    });
  });

  it.each([
    ["is not a table of vectors", Buffer.from("something else altogether")],
    ["is not a table of vectors", Buffer.alloc(3)],
    ["format 2; this version reads format 1", withNumber(4, 2)],
    ["of 33 dimensions", withNumber(12, 33)],
    ["ends after 60 bytes", file.subarray(0, 60)],
  ])("is refused where it %s", (message, bytes) => {
    expect(() => readTable(bytes, "my.bin")).toThrow(message);
    expect(() => readTable(bytes, "my.bin")).toThrow("my.bin");
  });

  it("is refused where pieces are missing", () => {
    expect(() => new TextEmbedder(readTable(file.subarray(0, file.length - 3), "my.bin"), 0.5)).toThrow(
      "7 pieces instead of 8",
    );
  });

  function withNumber(at: number, value: number): Uint8Array {
    const changed = Buffer.from(file);
    changed.writeUInt32LE(value, at);
    return changed;
  }
});
