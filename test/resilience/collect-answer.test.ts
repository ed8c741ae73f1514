import { expect, test } from "vitest";
import { cacheAnswers } from "#dist/resilience/answer-cache.js";
import { collectAnswer } from "#dist/resilience/collect-answer.js";
import type { LanguageModel, ModelMessage } from "../../src/interfaces/language-model.js";

const ASKED: readonly ModelMessage[] = [{ role: "user", content: "When?" }];

function modelOf(generate: LanguageModel["generate"]): LanguageModel {
  return { provider: "FAKE", model: "one", generate };
}

test("collects the parts of an answer and its finish reason", async () => {
  const model = modelOf(async function* (_, { onFinish } = {}) {
    yield "At ";
    yield "sunset.";
    onFinish?.("stop");
  });
  expect(await collectAnswer(model, ASKED)).toEqual({ text: "At sunset.", finish: "stop" });
});

test("cuts off an endless answer and closes the stream", async () => {
  let [written, isClosed] = [0, false];
  const model = modelOf(async function* () {
    try {
      for (;;) {
        written++;
        yield "x".repeat(1000);
      }
    } finally {
      isClosed = true;
    }
  });
  const { text, finish } = await collectAnswer(model, ASKED);
  expect([text.length, finish, written, isClosed]).toEqual([101_000, "length", 101, true]);
});

test("rejects when its signal is aborted, even if the model ignores the signal", async () => {
  const model = modelOf(async function* () {
    await new Promise(() => {});
    yield "";
  });
  const abort = new AbortController();
  const answer = collectAnswer(model, ASKED, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
});

test("rejects an answer without a finish reason", async () => {
  const model = modelOf(async function* () {
    yield "At";
  });
  await expect(collectAnswer(model, ASKED)).rejects.toMatchObject({ code: "provider_failed" });
});

test("rejects a call of a tool", async () => {
  const model = modelOf(async function* () {
    yield { id: "1", name: "search", input: {} };
  });
  const failure = {
    code: "provider_failed",
    retryable: false,
    message: 'one called the tool "search", but was given no tools.',
  };
  await expect(collectAnswer(model, ASKED)).rejects.toMatchObject(failure);
});

test("asks a cached question once, and again only after a failure", async () => {
  let asked = 0;
  const ask = cacheAnswers(async () => {
    if (++asked === 1) throw new Error("busy");
    return { text: `${asked}`, finish: "stop" };
  });
  const picture = (byte: number): readonly ModelMessage[] => [
    { role: "user", content: [{ type: "image", mimeType: "image/png", bytes: new Uint8Array([byte]) }] },
  ];
  await expect(ask(picture(1))).rejects.toThrow("busy");
  expect((await ask(picture(1))).text).toBe("2");
  expect((await ask(picture(1))).text).toBe("2");
  expect((await ask(picture(2))).text).toBe("3");
});
