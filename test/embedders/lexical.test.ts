import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { lexicalEmbedder, lexicalProvider } from "#dist/embedders/lexical/provider.js";
import { embedderContract } from "#dist/testing/embedder-contract.js";

const embedder = lexicalEmbedder();
afterAll(() => embedder.close?.());

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * b[index]!, 0);
const vectors = (...texts: string[]) => embedder.embed(texts, { purpose: "document" });

async function similarity(a: string, b: string) {
  const [left, right] = await vectors(a, b);
  return dot(left!, right!);
}

describe("contract", () => {
  for (const { name, run } of embedderContract(async () => embedder)) it(name, run);
});

it("gives queries and documents the same vectors", async () => {
  const [query] = await embedder.embed(["parental leave"], { purpose: "query" });
  const [document] = await vectors("parental leave");
  expect(query).toEqual(document);
});

it("puts forms of a word near each other, in any script", async () => {
  for (const [a, near, far] of [
    ["The lease was terminated", "terminating leases", "a recipe for soup"],
    ["Urlaubsanspruch der Eltern", "Elternurlaub", "Kartoffelsuppe kochen"],
    ["увольнение сотрудника", "уволить сотрудников", "рецепт борща"],
    ["日本語の文章を検索する", "文章の検索", "東京の天気"],
    ["การค้นหาเอกสาร", "ค้นหาเอกสารทั้งหมด", "สภาพอากาศวันนี้"],
    ["문서 검색 엔진", "문서를 검색합니다", "내일 날씨"],
  ] as const) {
    expect(await similarity(a, near), a).toBeGreaterThan((await similarity(a, far)) + 0.1);
  }
});

it("overlooks case, accents and compatibility forms", async () => {
  expect(await similarity("Café Ｈａｌｌｅ", "cafe halle")).toBeCloseTo(1, 5);
});

it("weighs function words less than the others", async () => {
  expect(await similarity("the history of the canal", "canal history")).toBeGreaterThan(
    await similarity("the history of the canal", "the rest of the day"),
  );
});

it("gives zeros to a text without words", async () => {
  for (const vector of await vectors("", " \n", "?! … —")) expect(vector.every((value) => value === 0)).toBe(true);
});

it("counts words, and characters where words have no spaces between them", async () => {
  expect(await embedder.countTokens(["", "One, two: three-four.", "日本語 text", "ไทย"])).toEqual([0, 4, 4, 3]);
});

it("makes the same vectors in every release", async () => {
  const texts = ["The quick brown fox jumps over 13 lazy dogs.", "Größe: 5 µm", "検索エンジン", "the of and"];
  const places = (await vectors(...texts)).flatMap((vector) => [...vector].map((value) => Math.round(value * 1e4)));
  expect(createHash("sha256").update(places.join()).digest("hex").slice(0, 16)).toBe("e40a08c0d6068385");
});

it("embeds whatever a string may hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (text) => {
      const [vector] = await vectors(text);
      const squared = dot(vector!, vector!);
      return squared === 0 || Math.abs(squared - 1) < 1e-4;
    }),
    { numRuns: 200 },
  );
});

it.each([2_000, 60_000])("embeds a text of %i distinct words, in any order, then a small one", async (size) => {
  const words = Array.from({ length: size }, (_, index) => `w${index.toString(36)}`);
  const before = await vectors("a small text");
  expect(await similarity(words.join(" "), words.toReversed().join(" "))).toBeCloseTo(1, 4);
  expect(await vectors("a small text")).toEqual(before);
});

it("moves a batch in one buffer", async () => {
  const [first, second] = await vectors("one", "two");
  expect(first!.buffer).toBe(second!.buffer);
});

it("lets a process end that does not close it", () => {
  const module = new URL("../../dist/embedders/lexical/provider.js", import.meta.url).href;
  const script = `const { lexicalEmbedder } = await import(${JSON.stringify(module)});
    const vectors = await lexicalEmbedder().embed(["a"], { purpose: "query" });
    console.log(vectors[0].length);`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    timeout: 30_000,
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "1024\n" });
});

it("completes its configuration and refuses what it does not know", async () => {
  const config = lexicalProvider.config.parse({ provider: "MANAGED_LEXICAL" });
  expect(config).toEqual({ provider: "MANAGED_LEXICAL", model: "hash-1024" });
  expect(lexicalProvider.config.safeParse({ ...config, dimensions: 3 }).success).toBe(false);
  const made = await lexicalProvider.create(config, { modelsDirectory: "unused", fetch });
  expect(made).toMatchObject({ provider: "MANAGED_LEXICAL", dimensions: 1024, maxInputTokens: null, cacheable: false });
  await made.close?.();
});
