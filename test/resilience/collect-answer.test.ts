import { expect, test } from "vitest";
import { cachedAnswers } from "#dist/resilience/answer-cache.js";
import { wholeAnswer } from "#dist/resilience/collect-answer.js";
import type { LanguageModel, ModelMessage } from "../../src/interfaces/language-model.js";

const ASKED: readonly ModelMessage[] = [{ role: "user", content: "When?" }];

function modelOf(generate: LanguageModel["generate"]): LanguageModel {
  return { provider: "FAKE", model: "one", generate };
}

test("an answer is whole when all its parts are there, with why it ended", async () => {
  const model = modelOf(async function* (_, { onFinish } = {}) {
    yield "At ";
    yield "sunset.";
    onFinish?.("stop");
  });
  expect(await wholeAnswer(model, ASKED)).toEqual({ text: "At sunset.", finish: "stop" });
});

test("an answer that goes on and on is cut off, and the model let go of", async () => {
  let [written, isLeft] = [0, false];
  const model = modelOf(async function* () {
    try {
      for (;;) {
        written++;
        yield "x".repeat(1000);
      }
    } finally {
      isLeft = true;
    }
  });
  const { text, finish } = await wholeAnswer(model, ASKED);
  expect([text.length, finish, written, isLeft]).toEqual([101_000, "length", 101, true]);
});

test("an answer ends with its signal, whether or not the model minds it", async () => {
  const model = modelOf(async function* () {
    await new Promise(() => {});
    yield "";
  });
  const abort = new AbortController();
  const answer = wholeAnswer(model, ASKED, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
});

test("an answer without a reason to end is none", async () => {
  const model = modelOf(async function* () {
    yield "At";
  });
  await expect(wholeAnswer(model, ASKED)).rejects.toMatchObject({ code: "provider_failed" });
});

test("a question is asked once, and again only where it failed", async () => {
  let asked = 0;
  const ask = cachedAnswers(async () => {
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
