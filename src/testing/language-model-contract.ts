import assert from "node:assert/strict";
import type { FinishReason, LanguageModel, ModelMessage } from "../interfaces/language-model.js";
import { type ContractCase, caseFactory } from "./contract.js";

const MESSAGES: readonly ModelMessage[] = [
  { role: "system", content: "Answer in one sentence." },
  { role: "user", content: "What is a lighthouse for?" },
  { role: "assistant", content: "It shows ships where they are." },
  { role: "user", content: [{ type: "text", text: "And by day?" }] },
];
const FINISH_REASONS: readonly FinishReason[] = ["stop", "length", "content-filter", "other"];

/**
 * The contract of language models, for a model that answers in at least two parts. `create` may return the same model
 * every time; the caller closes it.
 *
 * @example
 * for (const { name, run } of languageModelContract(create)) test(name, run);
 */
export function languageModelContract(create: () => Promise<LanguageModel>): ContractCase[] {
  const testCase = caseFactory(create);
  return [
    testCase("names its provider and its model", async ({ provider, model }) => {
      assert.ok(provider.length > 0 && model.length > 0, `${provider} ${model}`);
    }),
    testCase("yields non-empty parts and then reports once why the answer ended", async (model) => {
      const parts: string[] = [];
      const finishes: [FinishReason, number][] = [];
      const onFinish = (reason: FinishReason) => void finishes.push([reason, parts.length]);
      for await (const part of model.generate(MESSAGES, { onFinish })) parts.push(part);
      assert.ok(parts.length > 0 && parts.every((part) => part.length > 0), JSON.stringify(parts));
      assert.equal(finishes.length, 1);
      assert.ok(FINISH_REASONS.includes(finishes[0]![0]), `${finishes[0]![0]}`);
      assert.equal(finishes[0]![1], parts.length);
    }),
    testCase("reports usage as token counts, if it reports any", async (model) => {
      const onUsage = (usage: object) => {
        for (const count of Object.values(usage)) assert.ok(Number.isInteger(count) && count >= 0, `${count}`);
      };
      for await (const part of model.generate(MESSAGES, { onUsage })) assert.ok(part);
    }),
    testCase("can be stopped during an answer and called again", async (model) => {
      const finishes: FinishReason[] = [];
      for await (const part of model.generate(MESSAGES, { onFinish: (end) => finishes.push(end) })) if (part) break;
      assert.deepEqual(finishes, []);
      for await (const part of model.generate(MESSAGES)) assert.ok(part);
    }),
    testCase("stops on the caller's signal, before and during an answer", async (model) => {
      const before = model.generate(MESSAGES, { signal: AbortSignal.abort() })[Symbol.asyncIterator]();
      await assert.rejects(before.next(), { name: "AbortError" });
      const controller = new AbortController();
      const during = model.generate(MESSAGES, { signal: controller.signal })[Symbol.asyncIterator]();
      await during.next();
      controller.abort();
      await assert.rejects(during.next(), { name: "AbortError" });
    }),
  ];
}
