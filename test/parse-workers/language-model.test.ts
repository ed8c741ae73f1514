import { KnowledgeBaseError } from "lorebase";
import { afterEach, expect, test, vi } from "vitest";
import { pooledPreparer } from "#dist/parse-workers/pooled-preparer.js";
import type { GenerateText } from "../../src/interfaces/language-model.js";
import type { Preparer } from "../../src/parse-workers/preparer.js";
import { pictureOf } from "../support/asked-model.js";
import { sourceFile } from "../support/make-files.js";

const preparers: Preparer[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(preparers.splice(0).map((preparer) => preparer.close()));
});

const TIMEOUT_MS = 60_000;

function preparerOf(ask: GenerateText | null, name = "one"): Preparer {
  const languageModel = ask && { name, ask };
  const options = { parsers: [], chunker: null, languageModel, timeoutMs: TIMEOUT_MS, maxMemoryBytes: 2 ** 30 };
  const preparer = pooledPreparer(options);
  preparers.push(preparer);
  return preparer;
}

const image = (number: number) =>
  `<img src="data:image/png;base64,${Buffer.from(pictureOf(number)).toString("base64")}">`;
const page = sourceFile("a.html", `<p>Before.</p>${image(1)}${image(2)}<p>Behind.</p>`);
const chunk = { chunkSize: 1000, maxChunkSize: 2000, chunkOverlap: 0, delimiter: null, maxTokens: null };

function prepare(preparer: Preparer, signal = new AbortController().signal) {
  const file = { ...page, bytes: new Uint8Array(page.bytes) };
  return preparer.prepare(async () => file, {
    signal,
    parse: { useLlm: true },
    chunk: { ...chunk, countTokens: async () => [] },
  });
}

test("a worker process calls the language model through the caller", async () => {
  const asked: string[] = [];
  const preparer = preparerOf(async (messages, options) => {
    asked.push(`${messages.length} ${options?.maxOutputTokens} ${options?.signal?.aborted}`);
    return { text: "A bridge.", finish: "stop" };
  });
  const { text, warnings } = await prepare(preparer);
  expect(text.join("")).toBe("Before.\n\nA bridge.\n\nA bridge.\n\nBehind.");
  expect(warnings).toEqual([]);
  expect(asked).toEqual(["2 8000 false", "2 8000 false"]);
});

test("the time a model takes does not count towards the parse timeout", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const preparer = preparerOf(async () => {
    vi.advanceTimersByTime(2 * TIMEOUT_MS);
    return { text: "A bridge.", finish: "stop" };
  });
  expect((await prepare(preparer)).warnings).toEqual([]);
});

test("a retryable model error is rethrown as it was, with its retry delay", async () => {
  const busy = new KnowledgeBaseError("provider_failed", "busy", { retryable: true, retryAfterMs: 5000 });
  const preparer = preparerOf(async () => {
    throw busy;
  });
  await expect(prepare(preparer)).rejects.toBe(busy);
});

test("a permanent model error is a warning", async () => {
  const preparer = preparerOf(async () => {
    throw new Error("it sees no pictures");
  });
  const { text, warnings } = await prepare(preparer);
  expect(text.join("")).toBe("Before.\n\nBehind.");
  expect(warnings).toEqual([
    "The language model did not answer 2 questions about images and tables: it sees no pictures",
  ]);
});

test("aborting a document aborts its model call", async () => {
  const abort = new AbortController();
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const preparer = preparerOf((_, options) => {
    options!.signal!.addEventListener("abort", end);
    abort.abort(new DOMException("enough", "AbortError"));
    return new Promise(() => {});
  });
  await expect(prepare(preparer, abort.signal)).rejects.toThrow("enough");
  await ended;
});

test("the preparation rules name the model if it is used", () => {
  const answer: GenerateText = async () => ({ text: "x", finish: "stop" });
  const rules = (preparer: Preparer, useLlm: boolean) => preparer.fingerprint({ useLlm });
  const [none, one, other] = [preparerOf(null), preparerOf(answer, "one"), preparerOf(answer, "other")];
  expect(new Set([none, one, other].map((preparer) => rules(preparer, false))).size).toBe(1);
  expect(rules(none, true)).toBe(rules(none, false));
  expect(new Set([none, one, other].map((preparer) => rules(preparer, true))).size).toBe(3);
});
