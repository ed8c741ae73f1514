import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transformersEmbeddings } from "#dist/embedders/transformers/provider.js";
import type { LoadProgress } from "../../src/interfaces/embedder.js";
import { serveModels, startHub } from "./fixtures/hub.js";
import { modelsFolder, noModels } from "./fixtures/test-models.js";

const MODEL = "all-MiniLM-L6-v2";
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(realpathSync(tmpdir()), "lorebase-models-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

interface Loading {
  readonly host: string;
  readonly firstByteTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly model?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
}

function load({ model = MODEL, signal, onProgress, ...hub }: Loading) {
  const provider = transformersEmbeddings({ threads: 1, hub });
  const config = provider.config.parse({ provider: "MANAGED_TRANSFORMERS", model });
  return provider.create(config, { modelsDirectory: directory, fetch, signal, ...(onProgress && { onProgress }) });
}

it("gives up on a hub that accepts and never answers, after one wait", async () => {
  await using hub = await startHub(() => {});
  const failure = await load({ host: hub.host, firstByteTimeoutMs: 200 }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "not_ready", retryable: true });
  const { message } = failure as Error;
  for (const part of [MODEL, hub.host, join(directory, MODEL), "0.2 s"]) expect(message).toContain(part);
  // The library asks for the configuration and the tokenizer side by side; nothing is asked for after the first wait.
  expect(hub.requests.length).toBeLessThanOrEqual(2);
});

it("names the cause when the hub refuses connections", async () => {
  const hub = await startHub(() => {});
  await hub[Symbol.asyncDispose]();
  await expect(load({ host: hub.host })).rejects.toMatchObject({
    code: "not_ready",
    retryable: true,
    message: expect.stringMatching(/ECONNREFUSED/),
  });
});

it("says that a model is not on the hub", async () => {
  await using hub = await startHub((_, response) => response.writeHead(404).end());
  await expect(load({ host: hub.host, model: "no/such" })).rejects.toMatchObject({
    code: "not_ready",
    retryable: false,
  });
});

it("says that a folder is no model, without asking the hub", async () => {
  await using hub = await startHub(() => {});
  const failure = load({ host: hub.host, model: join(directory, "empty") });
  await expect(failure).rejects.toMatchObject({ code: "not_ready", message: expect.stringContaining("config.json") });
  expect(hub.requests).toEqual([]);
});

it("ends with the caller's signal while the hub is silent", async () => {
  const controller = new AbortController();
  await using hub = await startHub(() => controller.abort());
  await expect(load({ host: hub.host, signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
});

describe("without the package", () => {
  const INSTALL = "ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers";

  // A copy of the built files that finds every package but this one.
  beforeEach(() => {
    const dist = fileURLToPath(new URL("../../dist", import.meta.url));
    cpSync(dist, join(directory, "dist"), { recursive: true });
    cpSync(join(dirname(dist), "models"), join(directory, "models"), { recursive: true });
    // An empty folder of the package's name, so that none is looked for in the folders above.
    mkdirSync(join(directory, "node_modules/@huggingface/transformers"), { recursive: true });
    const packages = join(dirname(dist), "node_modules");
    for (const name of readdirSync(packages)) {
      const isHere = name === "@huggingface" || name.startsWith(".");
      if (!isHere) symlinkSync(join(packages, name), join(directory, "node_modules", name), "junction");
    }
    writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  });

  function runWithout(script: string) {
    const options = { encoding: "utf8", timeout: 30_000, cwd: directory } as const;
    return spawnSync(process.execPath, ["--input-type=module", "--eval", script], options);
  }

  it("names the package, why it may be absent and how to install it", () => {
    const { stdout, stderr } = runWithout(`
      const { transformersProvider } = await import("./dist/embedders/transformers/provider.js");
      const config = transformersProvider.config.parse({ provider: "MANAGED_TRANSFORMERS", model: "./none" });
      const created = transformersProvider.create(config, { modelsDirectory: ".", fetch });
      await created.catch(({ code, message }) => console.log(code, message));`);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^unsupported .*@huggingface\/transformers, which is not installed \(optional packages/);
    expect(stdout).toContain(INSTALL);
  });

  it("warns of the fallback: on stderr, once, where nobody listens", () => {
    const script = (listen: string) => `
      const { KnowledgeBase } = await import("./dist/index.js");
      const kb = new KnowledgeBase({ directory: ":memory:" });
      ${listen}
      for (const slug of ["one", "two"]) {
        const { embeddingConfig } = await kb.namespaces.create({ name: slug, slug });
        console.log(embeddingConfig.provider);
      }
      await kb.close();`;
    const unheard = runWithout(script(""));
    expect(unheard.stdout).toBe("MANAGED_STATIC\nMANAGED_STATIC\n");
    expect(unheard.stderr.match(/LorebaseWarning: The namespace uses MANAGED_STATIC embeddings/g)).toHaveLength(1);
    expect(unheard.stderr).toContain(INSTALL);
    const heard = runWithout(script('kb.on("warning", ({ message }) => console.log(message));'));
    expect(heard.stderr).toBe("");
    expect(heard.stdout.split(INSTALL)).toHaveLength(3);
  });
});

describe.skipIf(noModels !== null)(`with a hub that has a model (${noModels ?? "found"})`, () => {
  it("downloads a model once, reports how far it is, and needs no hub afterwards", async () => {
    const progress: LoadProgress[] = [];
    const online = await startHub(serveModels(modelsFolder));
    const first = await load({ host: online.host, onProgress: (step) => progress.push(step) });
    await online[Symbol.asyncDispose]();
    const weights = progress.filter(({ file }) => file === "onnx/model_quantized.onnx");
    expect(weights.length).toBeGreaterThan(10);
    expect(weights.at(-1)).toMatchObject({ model: MODEL, loaded: weights.at(-1)!.total });
    expect(weights.map(({ loaded }) => loaded)).toEqual(weights.map(({ loaded }) => loaded).toSorted((a, b) => a - b));

    await using offline = await startHub(() => {});
    const second = await load({ host: offline.host });
    expect(offline.requests).toEqual([]);
    const [a] = await first.embed(["the same"], { purpose: "query" });
    expect(await second.embed(["the same"], { purpose: "query" })).toEqual([a]);
    await Promise.all([first.close?.(), second.close?.()]);
  });

  it("lets several download the same model at once", async () => {
    await using hub = await startHub(serveModels(modelsFolder));
    const embedders = await Promise.all([load({ host: hub.host }), load({ host: hub.host }), load({ host: hub.host })]);
    for (const embedder of embedders) {
      expect(await embedder.countTokens(["hello world"])).toEqual([4]);
      await embedder.close?.();
    }
    expect(readdirSync(join(directory, MODEL, "onnx"))).toEqual(["model_quantized.onnx"]);
  });

  it.each([
    ["stops", (response: ServerResponse) => void response.write("half")],
    ["breaks off", (response: ServerResponse) => void response.write("half", () => response.destroy())],
  ])("keeps nothing of a download that %s, and succeeds the next time", async (_, fail) => {
    const models = serveModels(modelsFolder);
    let broken = true;
    await using hub = await startHub((request, response) => {
      if (!broken || !request.url?.endsWith(".onnx")) return models(request, response);
      response.writeHead(200, { "content-length": 1_000 });
      fail(response);
    });
    const failure = load({ host: hub.host, idleTimeoutMs: 200 });
    await expect(failure).rejects.toMatchObject({ code: "not_ready", retryable: true });
    const kept = readdirSync(directory, { recursive: true, encoding: "utf8" });
    expect(kept.filter((name) => name.endsWith(".onnx"))).toEqual([]);
    broken = false;
    const embedder = await load({ host: hub.host });
    expect(embedder.dimensions).toBe(384);
    await embedder.close?.();
  });

  it("says that weights are no model", async () => {
    cpSync(join(modelsFolder, MODEL), join(directory, MODEL), {
      recursive: true,
      filter: (path) => !path.endsWith(".onnx"),
    });
    writeFileSync(join(directory, MODEL, "onnx/model_quantized.onnx"), "no model");
    await using hub = await startHub(() => {});
    await expect(load({ host: hub.host })).rejects.toMatchObject({ code: "provider_failed", retryable: false });
  });
});
