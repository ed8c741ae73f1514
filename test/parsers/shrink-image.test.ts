import { describe, expect, test } from "vitest";
import { shrinkImage, shrinkRows } from "../../src/parsers/pdf/pdfjs/shrink-image.js";

const RGB = 2;
const ONE_BIT = 1;

/** An image of 5 × 3 pixels, with a letter for the grey level of each. */
const grey = { a: 0, b: 40, c: 80, z: 240 } as const;
const rgb = (...rows: readonly string[]) => ({
  width: rows[0]!.length,
  height: rows.length,
  kind: RGB,
  data: Uint8Array.from([...rows.join("")].flatMap((letter) => Array(3).fill(grey[letter as keyof typeof grey]))),
});
const levels = ({ data }: { readonly data: Uint8Array | Uint8ClampedArray | null }) =>
  [...data!].filter((_, i) => i % 3 === 0);

describe("a large image of a page", () => {
  test("is halved by the mean of its pixels, at its edges of those that there are", () => {
    const image = shrinkImage(rgb("aabbz", "zzbbz", "ccaac"), 3);
    expect(image).toMatchObject({ width: 3, height: 2, kind: RGB });
    expect(levels(image)).toEqual([120, 40, 240, 80, 0, 80]);
  });

  test("of one bit a pixel becomes one in colours, in which white is 255", () => {
    const data = Uint8Array.from([0b11000011, 0b10000000, 0b11000000, 0b00000000]);
    const image = shrinkImage({ width: 9, height: 2, kind: ONE_BIT, data, interpolate: false }, 4);
    expect(image).toMatchObject({ width: 5, height: 1, kind: RGB, interpolate: false });
    expect(levels(image)).toEqual([255, 0, 0, 128, 128]);
  });

  test("is halved again until it has less than four times the pixels", () => {
    expect(shrinkImage(rgb("aabbz", "zzbbz", "ccaac"), 0.9)).toMatchObject({ width: 2, height: 1 });
  });

  test("loses the reference by which pdfjs would copy it to a larger page", () => {
    expect(shrinkImage({ ...rgb("aabbz", "zzbbz"), ref: "9R" }, 1).ref).toBeUndefined();
  });

  test("whose rows are converted to colours bit by bit is halved as if they had been before", () => {
    const [width, height] = [3, 150];
    const data = Uint8ClampedArray.from({ length: width * height * 3 }, (_, i) => (i * 37) % 256);
    const whole = { width, height, kind: RGB, data };
    const parts: number[][] = [];
    const shrunk = shrinkRows({ ...whole, data: null }, 20, (rgb, top, count) => {
      parts.push([top, count]);
      rgb.set(data.subarray(top * width * 3, (top + count) * width * 3));
    });
    expect(shrunk).toEqual({ ...shrinkImage(whole, 20), ref: undefined });
    expect(parts).toEqual([
      [0, 64],
      [64, 64],
      [128, 22],
    ]);
    expect(shrinkRows(whole, width * height, () => expect.unreachable())).toBeNull();
  });

  test.each([
    ["few pixels", { ...rgb("ab"), kind: RGB }, 1],
    ["transparency", { ...rgb("aabb", "aabb"), kind: 3 }, 1],
    ["no data", { width: 100, height: 100, kind: RGB, data: null }, 1],
  ])("stays as it is with %s", (_, image, pixels) => {
    expect(shrinkImage(image, pixels)).toBe(image);
  });
});
