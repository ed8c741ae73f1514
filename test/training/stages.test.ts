import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readTable } from "#dist/embedders/static/table-file.js";
import { fold } from "../../training/stages/fold.js";
import { foldCollections, foldShards } from "../../training/stages/fold-text.js";
import { packTable } from "../../training/stages/pack-table.js";

const folder = mkdtempSync(join(tmpdir(), "lorebase-training-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

describe("folding", () => {
  it("leaves the words that the embedder sees, and the ends of sentences", () => {
    expect(fold('The Café’s lamp (1.5 kW) burns. "It is lit" at dusk! see p. 3')).toBe(
      "the cafe s lamp 1 5 kw burns . it is lit at dusk see p 3",
    );
    expect(fold("  …  ")).toBe("");
  });

  it("reads shards and Markdown, without the sources that are left out", async () => {
    writeFileSync(
      file("notes.txt"),
      [
        "#\tours",
        "D\tThe Lamp",
        "H\t2\tLighting it",
        "P\tThe lamp is lit thirty minutes before sunset, in any weather.",
        "P\tToo short.",
        "P\t12345 67890 12345 67890 12345 67890 12345 67890 12345 67890",
        "X\tsyn\tlamp\tlight",
        "#\ttheirs",
        "D\tSomething else",
      ].join("\n"),
    );
    writeFileSync(
      file("guide.md"),
      "# Keepers\n\nA keeper *never* leaves the tower\nunless the [relief](relief.md) has come ashore.\n\n```\nconst code = 1;\n```\n\n- One list item that is long enough to be kept as a text\n",
    );
    writeFileSync(
      file("README.md"),
      "# Not text\n\nWhat is said of the text is not the text, however long it may be.\n",
    );
    await foldShards(folder, file("folded.out"), ["theirs"]);
    expect(readFileSync(file("folded.out"), "utf8").trimEnd().split("\n")).toEqual([
      "#\tours\tnotes",
      "D\tthe lamp",
      "H\t2\tlighting it",
      "P\tthe lamp is lit thirty minutes before sunset in any weather",
      "X\tsyn\tlamp\tlight",
      "#\tdocuments\tdocuments",
      "D\tguide",
      "H\t1\tkeepers",
      "P\ta keeper never leaves the tower unless the relief has come ashore",
      "P\tone list item that is long enough to be kept as a text",
    ]);
  });

  it("has every text of a test collection", async () => {
    await foldCollections([new URL("../../training/pairs", import.meta.url).pathname], file("judged.out"));
    const lines = readFileSync(file("judged.out"), "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(300);
    expect(lines).toContain("why did my cake not rise");
  });

  it("says what is missing", async () => {
    const empty = mkdtempSync(join(tmpdir(), "lorebase-empty-"));
    await expect(foldShards(empty, file("none.out"), [])).rejects.toThrow("holds no training text");
    rmSync(empty, { recursive: true });
  });
});

it("packs a table so that its numbers come back within half a step", async () => {
  const dimensions = 64;
  const table = Float32Array.from({ length: 3 * dimensions }, (_, at) =>
    at < dimensions ? Math.sin(at) : at < 2 * dimensions ? 20 * Math.cos(at) : 0,
  );
  writeFileSync(file("table.f32"), table);
  writeFileSync(file("vocabulary.out"), "a\nb\n##c\n");
  await packTable(file("table.f32"), file("vocabulary.out"), file("table.bin"));
  const packed = readTable(readFileSync(file("table.bin")), "table");
  expect(packed).toMatchObject({ pieceCount: 3, dimensions, vocabulary: "a\nb\n##c\n" });
  const weights = [0, 2, 4].map((at) => Buffer.from(packed.weights).readUInt16LE(at));
  const unit = 20 / 7 / weights[1]!;
  table.forEach((value, at) => {
    const [piece, place] = [Math.floor(at / dimensions), at % dimensions];
    const byte = packed.codes[(piece * dimensions) / 2 + (place >> 5) * 16 + (place & 15)]!;
    const code = place & 16 ? (byte << 24) >> 28 : (byte << 28) >> 28;
    expect(Math.abs(code)).toBeLessThanOrEqual(7);
    expect(Math.abs(code * weights[piece]! * unit - value)).toBeLessThan(0.11 * (piece === 1 ? 20 : 1));
  });
});
