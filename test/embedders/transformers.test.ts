import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { env, pipeline } from "@huggingface/transformers";
import { afterAll, describe, expect, it } from "vitest";
import { transformersEmbeddings } from "#dist/embedders/transformers/provider.js";
import { embedderContract } from "#dist/testing/embedder-contract.js";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { modelsFolder, noModels } from "./fixtures/test-models.js";

const provider = transformersEmbeddings({ threads: 2 });
const opened: Embedder[] = [];
afterAll(() => Promise.all(opened.map((embedder) => embedder.close?.())));

async function open(more: { [field: string]: unknown } = {}) {
  const config = provider.config.parse({ provider: "MANAGED_TRANSFORMERS", model: "all-MiniLM-L6-v2", ...more });
  const embedder = await provider.create(config, { modelsDirectory: modelsFolder, fetch });
  opened.push(embedder);
  return embedder;
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * b[index]!, 0);

describe.skipIf(noModels !== null)(`with a model (${noModels ?? "found"})`, () => {
  const shared = noModels === null ? open() : null;

  describe("contract", () => {
    for (const { name, run } of embedderContract(() => shared!)) it(name, run);
  });

  it("describes the model", async () => {
    const embedder = await shared!;
    expect(embedder).toMatchObject({ provider: "MANAGED_TRANSFORMERS", dimensions: 384, maxInputTokens: 512 });
    expect(await embedder.countTokens(["hello world", ""])).toEqual([4, 2]);
  });

  it("gives the vectors that the library's own pipeline gives text by text", async () => {
    env.allowRemoteModels = false;
    const plain = await pipeline("feature-extraction", join(modelsFolder, "all-MiniLM-L6-v2"), { dtype: "q8" });
    const texts = ["A short one.", "Zwei Sätze. Noch einer.", "word ".repeat(90), "word ".repeat(900), "数字 123"];
    const vectors = await (await shared!).embed(texts, { purpose: "document" });
    for (const [index, text] of texts.entries()) {
      for (const pooling of ["mean"] as const) {
        const expected = await plain(text, { pooling, normalize: true });
        expect(dot(vectors[index]!, expected.data as Float32Array), text.slice(0, 20)).toBeGreaterThan(0.999);
      }
    }
    await plain.dispose();
  });

  it("puts the prefix of its purpose before a text, and leaves room for the longer one", async () => {
    const plain = await shared!;
    const prefixed = await open({ queryPrefix: "query: ", documentPrefix: "a long passage: " });
    const [asQuery] = await prefixed.embed(["leave"], { purpose: "query" });
    const [asDocument] = await prefixed.embed(["leave"], { purpose: "document" });
    const [query, document] = await plain.embed(["query: leave", "a long passage: leave"], { purpose: "document" });
    expect(dot(asQuery!, query!)).toBeGreaterThan(0.9999);
    expect(dot(asDocument!, document!)).toBeGreaterThan(0.9999);
    expect(prefixed.maxInputTokens).toBe(508);
    expect(prefixed.fingerprint).not.toBe(plain.fingerprint);
    expect(await prefixed.countTokens(["leave"])).toEqual([3]);
  });

  it("pools as told", async () => {
    const [mean, cls, last] = await Promise.all(
      ["mean", "cls", "last_token"].map(async (pooling) => {
        const [vector] = await (await open({ pooling })).embed(["pool me"], { purpose: "document" });
        return vector!;
      }),
    );
    expect(dot(cls!, cls!)).toBeCloseTo(1, 4);
    for (const [a, b] of [
      [mean, cls],
      [cls, last],
      [last, mean],
    ])
      expect(dot(a!, b!)).toBeLessThan(0.9999);
  });

  it("opens a folder by its path", async () => {
    const embedder = await open({ model: join(modelsFolder, "all-MiniLM-L6-v2") });
    expect((await embedder.embed(["by path"], { purpose: "query" }))[0]).toHaveLength(384);
  });

  it("stays usable when a call is aborted half way", async () => {
    const embedder = await shared!;
    const controller = new AbortController();
    const running = embedder.embed(Array(40).fill("word ".repeat(200)), {
      purpose: "document",
      signal: controller.signal,
    });
    await embedder.embed(["first"], { purpose: "query" });
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(await embedder.embed(["after"], { purpose: "query" })).toHaveLength(1);
  });

  it("lets a process end that does not close it", () => {
    const script = `const { transformersProvider } = await import(${JSON.stringify(new URL("../../dist/embedders/transformers/provider.js", import.meta.url).href)});
      const config = transformersProvider.config.parse({ provider: "MANAGED_TRANSFORMERS", model: "all-MiniLM-L6-v2" });
      const embedder = await transformersProvider.create(config, { modelsDirectory: ${JSON.stringify(modelsFolder)}, fetch });
      console.log((await embedder.embed(["a", "b"], { purpose: "document" })).length);`;
    const run = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
      timeout: 50_000,
    });
    expect({ status: run.status, stdout: run.stdout, stderr: run.stderr }).toEqual({
      status: 0,
      stdout: "2\n",
      stderr: "",
    });
  });

  it("writes nothing into a models directory that has all files", () => {
    expect(readdirSync(join(modelsFolder, "all-MiniLM-L6-v2")).toSorted()).toEqual([
      "config.json",
      "onnx",
      "tokenizer.json",
      "tokenizer_config.json",
    ]);
  });
});
