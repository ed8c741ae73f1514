import assert from "node:assert/strict";
import type { FinishReason, LanguageModel, ModelMessage } from "../interfaces/language-model.js";
import type { ContractCase } from "./contract.js";

const MESSAGES: readonly ModelMessage[] = [
  { role: "system", content: "Answer in one sentence." },
  { role: "user", content: "What is a lighthouse for?" },
  { role: "assistant", content: "It shows ships where they are." },
  { role: "user", content: [{ type: "text", text: "And by day?" }] },
];
const REASONS: readonly FinishReason[] = ["stop", "length", "content-filter", "other"];

/**
 * The promises of a language model that can answer; its answer should have two parts at least. `create` may give the same model every time;
 * who runs the cases closes it.
 *
 * @example
 * for (const { name, run } of languageModelContract(create)) test(name, run);
 */
export function languageModelContract(create: () => Promise<LanguageModel>): ContractCase[] {
  const promise = (name: string, check: (model: LanguageModel) => Promise<void>): ContractCase => ({
    name,
    run: async () => check(await create()),
  });

  return [
    promise("names its provider and its model", async ({ provider, model }) => {
      assert.ok(provider.length > 0 && model.length > 0, `${provider} ${model}`);
    }),
    promise("gives an answer in parts that have text, and then tells once why it ended", async (model) => {
      const parts: string[] = [];
      const ends: [FinishReason, number][] = [];
      const onFinish = (reason: FinishReason) => void ends.push([reason, parts.length]);
      for await (const part of model.generate(MESSAGES, { onFinish })) parts.push(part);
      assert.ok(parts.length > 0 && parts.every((part) => part.length > 0), JSON.stringify(parts));
      assert.equal(ends.length, 1);
      assert.ok(REASONS.includes(ends[0]![0]), `${ends[0]![0]}`);
      assert.equal(ends[0]![1], parts.length);
    }),
    promise("tells costs, where it does, as counts of tokens", async (model) => {
      const onUsage = (usage: object) => {
        for (const count of Object.values(usage)) assert.ok(Number.isInteger(count) && count >= 0, `${count}`);
      };
      for await (const part of model.generate(MESSAGES, { onUsage })) assert.ok(part);
    }),
    promise("may be left amid an answer, and asked again", async (model) => {
      const ends: FinishReason[] = [];
      for await (const part of model.generate(MESSAGES, { onFinish: (end) => ends.push(end) })) if (part) break;
      assert.deepEqual(ends, []);
      for await (const part of model.generate(MESSAGES)) assert.ok(part);
    }),
    promise("ends with the caller's signal, before the answer and amid it", async (model) => {
      const before = model.generate(MESSAGES, { signal: AbortSignal.abort() })[Symbol.asyncIterator]();
      await assert.rejects(before.next(), { name: "AbortError" });
      const controller = new AbortController();
      const amid = model.generate(MESSAGES, { signal: controller.signal })[Symbol.asyncIterator]();
      await amid.next();
      controller.abort();
      await assert.rejects(amid.next(), { name: "AbortError" });
    }),
  ];
}
