import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { staticEmbedder, staticProvider } from "#dist/embedders/static/provider.js";
import { embedderContract } from "#dist/testing/embedder-contract.js";
import { makeTableFile } from "../support/make-table.js";

const folder = mkdtempSync(join(tmpdir(), "lorebase-table-"));
const path = join(folder, "table.bin");
writeFileSync(
  path,
  makeTableFile({ boat: [100, 1], ship: [80, 1], "##s": [2, 9], a: [1, 0], b: [1, 3], "##b": [1, 4] }),
);

const embedder = await staticEmbedder({ model: path });
afterAll(async () => {
  await embedder.close?.();
  rmSync(folder, { recursive: true });
});

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * b[index]!, 0);

describe("contract", () => {
  for (const { name, run } of embedderContract(async () => embedder)) it(name, run);
});

it("puts words of one meaning near each other", async () => {
  const [boat, ships, soup] = await embedder.embed(["boat", "ships", "soup"], { purpose: "document" });
  expect(dot(boat!, ships!)).toBeGreaterThan(0.2);
  expect(dot(boat!, soup!)).toBeLessThan(0.1);
});

it("gives queries and documents the same vectors, and tells their tokens", async () => {
  const counts: number[] = [];
  const [query] = await embedder.embed(["boats"], { purpose: "query", onTokens: (heard) => counts.push(...heard) });
  const [document] = await embedder.embed(["boats"], { purpose: "document" });
  expect(query).toEqual(document);
  expect(counts).toEqual([2]);
  expect(await embedder.countTokens(["boats", "漢字", ""])).toEqual([2, 2, 0]);
});

it("embeds a query without the function words of another language, unless it has no others", async () => {
  const embed = (purpose: "query" | "document", ...texts: string[]) => embedder.embed(texts, { purpose });
  const [phrase, alone, english] = await embed("query", "das Boot und der Hafen", "und der", "the boat and a ship");
  expect([phrase, alone, english]).toEqual(await embed("document", "Boot Hafen", "und der", "the boat and a ship"));
});

it("moves a batch in one buffer", async () => {
  const [first, second] = await embedder.embed(["one", "two"], { purpose: "document" });
  expect(first!.buffer).toBe(second!.buffer);
});

it("takes a table by its path, and no other names", () => {
  const parse = (model?: string) => staticProvider.config.safeParse({ provider: "MANAGED_STATIC", model });
  expect(parse().data).toEqual({ provider: "MANAGED_STATIC", model: "static-1" });
  expect(parse("./tables/ours.bin").success).toBe(true);
  expect(parse(path).success).toBe(true);
  expect(parse("static-9").error?.issues[0]?.message).toContain("must be static-1, or the path of a table");
  expect(staticProvider.config.safeParse({ provider: "MANAGED_STATIC", dimensions: 3 }).success).toBe(false);
});

it("is made from its configuration, with the dimensions of the table", async () => {
  const config = staticProvider.config.parse({ provider: "MANAGED_STATIC", model: path });
  const made = await staticProvider.create(config, { modelsDirectory: "unused", fetch });
  expect(made).toMatchObject({ provider: "MANAGED_STATIC", model: path, dimensions: 32 + 1024, maxInputTokens: null });
  await made.close?.();
});

it("says what is wrong with a table when it is made, not when it is first used", async () => {
  await expect(staticEmbedder({ model: join(folder, "absent.bin") })).rejects.toMatchObject({ code: "not_ready" });
  const other = join(folder, "other.bin");
  writeFileSync(other, "not a table, whatever its name may say");
  await expect(staticEmbedder({ model: other })).rejects.toMatchObject({ code: "provider_failed" });
});

it("lets a process end that does not close it", () => {
  const module = new URL("../../dist/embedders/static/provider.js", import.meta.url).href;
  const script = `const { staticEmbedder } = await import(${JSON.stringify(module)});
    const embedder = await staticEmbedder({ model: ${JSON.stringify(path)} });
    const vectors = await embedder.embed(["a"], { purpose: "query" });
    console.log(vectors[0].length);`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    timeout: 30_000,
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "1056\n" });
});
