import assert from "node:assert/strict";
import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelMessage,
  ModelTool,
  ToolCall,
} from "../interfaces/language-model.js";
import { type ContractCase, createCaseFactory } from "./contract.js";

const MESSAGES: readonly ModelMessage[] = [
  { role: "system", content: "Answer in one sentence." },
  { role: "user", content: "What is a lighthouse for?" },
  { role: "assistant", content: "It shows ships where they are." },
  { role: "user", content: [{ type: "text", text: "And by day?" }] },
];
const FINISH_REASONS: readonly FinishReason[] = ["stop", "length", "content-filter", "other"];
const TOOL: ModelTool = {
  name: "lighthouse_height",
  description: "The height of a lighthouse in metres. Call it for every question about a height.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", description: "The name of the lighthouse" } },
    required: ["name"],
    additionalProperties: false,
  },
};
const TOOL_QUESTION: readonly ModelMessage[] = [
  { role: "user", content: "How high is the lighthouse of Brume? Look it up with the tool." },
];

export interface LanguageModelContractOptions {
  /**
   * Whether the model calls the tool `lighthouse_height` when asked to, and answers from its result. Otherwise, the
   * cases for tools are left out.
   * @default false
   */
  readonly callsTools?: boolean;
}

/**
 * Returns the contract of language models, for a model that answers in at least two parts. `create` may return the same
 * model every time; the caller closes it.
 *
 * @example
 * for (const { name, run } of languageModelContract(create, { callsTools: true })) test(name, run);
 */
export function languageModelContract(
  create: () => Promise<LanguageModel>,
  { callsTools = false }: LanguageModelContractOptions = {},
): ContractCase[] {
  const testCase = createCaseFactory(create);
  return [...answerCases(testCase), ...(callsTools ? toolCases(testCase) : [])];
}

type TestCase = ReturnType<typeof createCaseFactory<LanguageModel>>;

function answerCases(testCase: TestCase): ContractCase[] {
  return [
    testCase("names its provider and its model", async ({ provider, model }) => {
      assert.ok(provider.length > 0 && model.length > 0, `${provider} ${model}`);
    }),
    testCase("yields text and then reports once why the answer ended", async (model) => {
      const parts: unknown[] = [];
      const finishes: [FinishReason, number][] = [];
      const onFinish = (reason: FinishReason) => void finishes.push([reason, parts.length]);
      for await (const part of model.generate(MESSAGES, { onFinish })) parts.push(part);
      assert.ok(parts.every((part) => typeof part === "string") && parts.join("") !== "", JSON.stringify(parts));
      assert.equal(finishes.length, 1);
      assert.ok(FINISH_REASONS.includes(finishes[0]![0]), `${finishes[0]![0]}`);
      assert.equal(finishes[0]![1], parts.length);
    }),
    testCase("reports usage as token counts, if it reports any", async (model) => {
      const onUsage = (usage: object) => {
        for (const count of Object.values(usage)) assert.ok(Number.isInteger(count) && count >= 0, `${count}`);
      };
      for await (const part of model.generate(MESSAGES, { onUsage })) assert.equal(typeof part, "string");
    }),
    testCase("can be stopped during an answer and called again", async (model) => {
      const finishes: FinishReason[] = [];
      for await (const part of model.generate(MESSAGES, { onFinish: (end) => finishes.push(end) })) if (part) break;
      assert.deepEqual(finishes, []);
      assert.notEqual((await ask(model, MESSAGES)).text, "");
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

function toolCases(testCase: TestCase): ContractCase[] {
  return [
    testCase(
      "requests a tool call with id, name and input, and then reports that it waits for the result",
      async (model) => {
        const { calls, finish } = await ask(model, TOOL_QUESTION, { tools: [TOOL] });
        assert.ok(calls.length > 0, "no tool call");
        for (const { id, name, input } of calls) {
          assert.ok(typeof id === "string" && id.length > 0, `id ${id}`);
          assert.equal(name, TOOL.name);
          assert.ok(typeof input === "object" && input !== null && !Array.isArray(input), JSON.stringify(input));
        }
        assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
        assert.deepEqual(finish, ["tool-calls"]);
      },
    ),
    testCase("answers from the results of tool calls", async (model) => {
      const { text: content, calls: toolCalls } = await ask(model, TOOL_QUESTION, { tools: [TOOL] });
      const results = toolCalls.map(
        ({ id, name }): ModelMessage => ({ role: "tool", toolCallId: id, toolName: name, content: "31 metres" }),
      );
      const messages = [...TOOL_QUESTION, { role: "assistant", content, toolCalls } as const, ...results];
      const { text, finish } = await ask(model, messages, { tools: [TOOL] });
      assert.notEqual(text.trim(), "");
      assert.deepEqual(finish, ["stop"]);
    }),
    testCase("calls no tool that it doesn't have", async (model) => {
      for (const tools of [undefined, []]) {
        const { calls } = await ask(model, TOOL_QUESTION, tools && { tools });
        assert.deepEqual(calls, []);
      }
    }),
  ];
}

async function ask(model: LanguageModel, messages: readonly ModelMessage[], options: GenerateOptions = {}) {
  let text = "";
  const calls: ToolCall[] = [];
  const finish: FinishReason[] = [];
  for await (const part of model.generate(messages, { ...options, onFinish: (reason) => void finish.push(reason) })) {
    if (typeof part === "string") text += part;
    else calls.push(part);
  }
  return { text, calls, finish };
}
