import { fakeLanguageModel } from "lorebase/testing";
import { expect, test } from "vitest";
import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelMessage,
} from "../../src/interfaces/language-model.js";

const ASKED: readonly ModelMessage[] = [{ role: "user", content: "When is the lamp lit?" }];

async function ask(model: LanguageModel, options: GenerateOptions = {}) {
  const parts: unknown[] = [];
  const ends: FinishReason[] = [];
  for await (const part of model.generate(ASKED, { ...options, onFinish: (end) => ends.push(end) })) parts.push(part);
  return { parts, ends };
}

test("answers by the script, then by the rule, in chunks of whole characters", async () => {
  const model = fakeLanguageModel({
    chunkSize: 3,
    script: ["At 🔦🔦!", [{ name: "search", input: { query: "lamp" } }, "So: ", { finish: "length" }, "never"]],
    answer: ({ messages }) => `${messages.length} message`,
  });
  expect(await ask(model)).toEqual({ parts: ["At ", "🔦🔦!"], ends: ["stop"] });
  expect(await ask(model)).toEqual({
    parts: [{ id: "call-1", name: "search", input: { query: "lamp" } }, "So:", " "],
    ends: ["length"],
  });
  expect(await ask(model)).toEqual({ parts: ["1 m", "ess", "age"], ends: ["stop"] });
  expect(await ask(fakeLanguageModel({ chunkSize: 100 }))).toEqual({
    parts: ["When is the lamp lit?"],
    ends: ["stop"],
  });
});

test("waits for tool results after a tool call, and keeps a given id", async () => {
  const model = fakeLanguageModel({ answer: () => [{ id: "a", name: "search", input: 1 }] });
  expect(await ask(model)).toEqual({ parts: [{ id: "a", name: "search", input: 1 }], ends: ["tool-calls"] });
});

test("records its calls as they were made, and counts the open ones", async () => {
  const tools = [{ name: "search", description: "Searches.", inputSchema: {} }];
  const model = fakeLanguageModel({ script: ["At dusk, every day."], usage: { outputTokens: 4 } });
  const messages = [...ASKED];
  const usages: unknown[] = [];
  const answer = model.generate(messages, {
    temperature: 0,
    maxOutputTokens: 9,
    tools,
    onUsage: (u) => usages.push(u),
  });
  const parts = answer[Symbol.asyncIterator]();
  expect([model.calls, model.open]).toEqual([[], 0]);
  await parts.next();
  messages.push({ role: "user", content: "And then?" });
  expect(model.calls).toEqual([{ messages: ASKED, temperature: 0, maxOutputTokens: 9, tools }]);
  expect(model.open).toBe(1);
  await parts.return?.();
  expect([model.open, usages]).toEqual([0, []]);
  await ask(model, { onUsage: (usage) => usages.push(usage) });
  expect([model.calls.length, model.open, usages]).toEqual([2, 0, [{ outputTokens: 4 }]]);
  await model.close?.();
  expect(model.closed).toBe(true);
});

test("fails where its script says so", async () => {
  const model = fakeLanguageModel({ script: [new Error("busy"), ["At ", new Error("gone")]], answer: "fine" });
  await expect(ask(model)).rejects.toThrow("busy");
  const parts: unknown[] = [];
  const broken = async () => {
    for await (const part of model.generate(ASKED)) parts.push(part);
  };
  await expect(broken()).rejects.toThrow("gone");
  expect([parts, model.open]).toEqual([["At "], 0]);
  expect((await ask(model)).parts).toEqual(["fine"]);
});

test("waits for a promise, and stops with its signal", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model = fakeLanguageModel({ script: [["At ", gate, "dusk."], [new Promise(() => {})]] });
  const answer = ask(model);
  release();
  expect((await answer).parts).toEqual(["At ", "dusk."]);
  const controller = new AbortController();
  const stalled = ask(model, { signal: controller.signal });
  controller.abort();
  await expect(stalled).rejects.toMatchObject({ name: "AbortError" });
  expect(model.open).toBe(0);
});

test("writes without end until it is left, and can ignore its signal", async () => {
  function* endless() {
    for (;;) yield "on and on ";
  }
  const model = fakeLanguageModel({ answer: () => endless(), ignoresSignal: true });
  const controller = new AbortController();
  let parts = 0;
  for await (const part of model.generate(ASKED, { signal: controller.signal })) {
    expect(part).not.toBe("");
    controller.abort();
    if (++parts === 100) break;
  }
  expect([parts, model.open]).toEqual([100, 0]);
});
