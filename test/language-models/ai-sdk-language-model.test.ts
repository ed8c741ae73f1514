import { createOpenAI } from "@ai-sdk/openai";
import {
  type AiSdkLanguageModel,
  aiSdkLanguageModel,
  type FinishReason,
  type GenerateOptions,
  type ModelMessage,
  type ModelTool,
} from "lorebase";
import { languageModelContract } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallUsage } from "../../src/interfaces/hosted.js";
import { failureOf } from "../support/knowledge-base.js";
import { chatServer, completion, EVENT_STREAM, events, WRITTEN } from "../support/vendors/chat-completions.js";
import { type Fault, type ScriptedServer, tooMany } from "../support/vendors/scripted-server.js";

const KEY = "sk-canary-5d21f0";
const PICTURE = { type: "image", mimeType: "image/png", bytes: Uint8Array.of(137, 80, 78, 71) } as const;
const ASKED = [
  { role: "system", content: "Be brief." },
  { role: "assistant", content: "Yes?" },
  { role: "user", content: [{ type: "text", text: "When is the lamp lit?" }, PICTURE] },
] as const;

async function ask(model: AiSdkLanguageModel, call: GenerateOptions = {}) {
  const parts: string[] = [];
  const costs: CallUsage[] = [];
  const ends: FinishReason[] = [];
  const told = { onUsage: (usage: CallUsage) => costs.push(usage), onFinish: (end: FinishReason) => ends.push(end) };
  for await (const part of aiSdkLanguageModel(model).generate(ASKED, { ...told, ...call })) parts.push(String(part));
  return { parts, costs, ends };
}

/** A model of a specification that streams these parts, and remembers what it was asked. */
function modelOf(specificationVersion: string, ...parts: unknown[]) {
  const asked: unknown[] = [];
  const model: AiSdkLanguageModel = {
    specificationVersion,
    provider: "fake.chat",
    modelId: "fake-1",
    async doStream(options: unknown) {
      asked.push(options);
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
  return { model, asked };
}

const start = { type: "stream-start", warnings: [] };
const written = (delta: string) => ({ type: "text-delta", id: "0", delta });
const finishes = {
  v2: (reason: string) => ({
    type: "finish",
    finishReason: reason,
    usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 },
  }),
  v3: (reason: string, raw: string | undefined = reason) => ({
    type: "finish",
    finishReason: { unified: reason, raw },
    usage: { inputTokens: { total: 5, cacheRead: 2 }, outputTokens: { total: 3 } },
  }),
};

it.each([
  ["v2", finishes.v2("stop"), PICTURE.bytes],
  ["v3", finishes.v3("stop"), PICTURE.bytes],
  ["v4", finishes.v3("stop"), { type: "data", data: PICTURE.bytes }],
])("asks a model of specification %s in its own form", async (version, finish, data) => {
  const reasoning = { type: "reasoning-delta", id: "1", delta: "hm" };
  const { model, asked } = modelOf(version, start, reasoning, written("At "), written(""), written("dusk."), finish);
  const signal = new AbortController().signal;
  const answer = await ask(model, { temperature: 0, maxOutputTokens: 50, signal });
  expect(answer).toEqual({
    // An empty part for the reasoning.
    parts: ["", "At ", "dusk."],
    costs: [{ inputTokens: 5, outputTokens: 3 }],
    ends: ["stop"],
  });
  expect(asked).toEqual([
    {
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "When is the lamp lit?" },
            { type: "file", mediaType: "image/png", data },
          ],
        },
      ],
      temperature: 0,
      maxOutputTokens: 50,
      abortSignal: signal,
    },
  ]);
  expect(aiSdkLanguageModel(model)).toMatchObject({ provider: "fake.chat", model: "fake-1" });
});

it.each<[string, unknown, FinishReason]>([
  ["v2", finishes.v2("length"), "length"],
  ["v2", finishes.v2("other"), "other"],
  ["v3", finishes.v3("content-filter", "safety"), "content-filter"],
  ["v4", finishes.v3("tool-calls"), "other"],
])("tells why an answer ended: %s %j", async (version, finish, end) => {
  expect((await ask(modelOf(version, written("half"), finish).model)).ends).toEqual([end]);
});

it.each<[string, unknown[]]>([
  ["v2", []],
  ["v2", [finishes.v2("unknown")]],
  ["v2", [finishes.v2("error")]],
  ["v4", [finishes.v3("interrupted")]],
  ["v3", [{ ...finishes.v3("other"), finishReason: { unified: "other", raw: undefined } }]],
  ["v4", []],
])("fails with a stream of %s that ends unfinished: %j", async (version, finish) => {
  const error = await failureOf(() => ask(modelOf(version, written("half"), ...finish).model));
  expect([error.code, error.retryable]).toEqual(["provider_failed", true]);
  expect(error.message).toBe("fake.chat failed: the answer ended early");
});

it.each([
  [{ message: "The server had an error", type: "server_error" }, "fake.chat failed: The server had an error"],
  [new Error("broken pipe"), "fake.chat failed: broken pipe"],
])("fails with an error amid the stream", async (error, message) => {
  const { model } = modelOf("v3", written("half"), { type: "error", error }, finishes.v3("error"));
  const failure = await failureOf(() => ask(model));
  expect([failure.code, failure.retryable, failure.message]).toEqual(["provider_failed", true, message]);
});

it.each(["v1", "v5"])("refuses a model of specification %s", async (version) => {
  const error = await failureOf(() => aiSdkLanguageModel(modelOf(version).model));
  expect([error.code, error.message]).toEqual([
    "unsupported",
    expect.stringMatching(`fake-1 has specification version ${version}`),
  ]);
});

/** A model of a vendor's own package, and the server that it calls. */
async function openai() {
  const server = await chatServer(KEY);
  const model = createOpenAI({ apiKey: KEY, baseURL: `${server.origin}/v1` }).chat("test-1");
  return { server, model };
}

describe("contract", () => {
  let shared: ScriptedServer;
  beforeAll(async () => {
    shared = await chatServer(KEY);
  });
  afterAll(() => shared.close());
  const create = async () =>
    aiSdkLanguageModel(createOpenAI({ apiKey: KEY, baseURL: `${shared.origin}/v1` }).chat("test-1"));
  for (const { name, run } of languageModelContract(create, { callsTools: true })) it(name, run);
});

it("streams from a model of a vendor's package", async () => {
  const { server, model } = await openai();
  expect(await ask(model)).toEqual({
    parts: WRITTEN,
    costs: [{ inputTokens: 21, outputTokens: 9 }],
    ends: ["stop"],
  });
  expect(server.requests[0]!.body.messages.at(-1).content[1].image_url.url).toBe("data:image/png;base64,iVBORw==");
});

const cut = events(completion()).slice(0, 4);
it.each<[string, Fault, boolean, number | null, RegExp]>([
  [
    "500",
    { status: 500, body: { error: { message: "overloaded", type: "x" } } },
    true,
    null,
    /answered 500: overloaded/,
  ],
  ["429", tooMany({ error: { message: "slow down", type: "x" } }, "3"), true, 3000, /answered 429: slow down/],
  ["401", { status: 401, body: { error: { message: "bad key", type: "x" } } }, false, null, /answered 401: bad key/],
  ["a connection that is refused", "refuse", true, null, /other side closed/],
  ["a stream that ends early", { headers: EVENT_STREAM, body: cut }, true, null, /ended early/],
  ["malformed JSON", { headers: EVENT_STREAM, body: [...cut, "data: {no\n\n"] }, true, null, /openai\.chat failed/],
  [
    "an error in the stream",
    { headers: EVENT_STREAM, body: [...cut, 'data: {"error":{"message":"gone"}}\n\n'] },
    true,
    null,
    /failed: gone/,
  ],
])("fails with %s of a vendor's package as it should", async (_, fault, retryable, retryAfterMs, message) => {
  const { server, model } = await openai();
  server.failNext(fault);
  const error = await failureOf(() => ask(model));
  expect([error.code, error.retryable, error.retryAfterMs]).toEqual(["provider_failed", retryable, retryAfterMs]);
  expect(error.message).toMatch(message);
});

it("ends with the caller's signal", async () => {
  const { server, model } = await openai();
  const controller = new AbortController();
  server.failWhen(() => {
    setImmediate(() => controller.abort());
    return "stall";
  });
  await expect(ask(model, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
});

describe("tools", () => {
  const TOOL: ModelTool = {
    name: "search",
    description: "Searches the documents.",
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
  };
  const called = (input: string, more: object = {}) => ({
    type: "tool-call",
    toolCallId: "a",
    toolName: "search",
    input,
    ...more,
  });

  async function answerOf(version: string, call: GenerateOptions, ...parts: unknown[]) {
    const { model, asked } = modelOf(version, ...parts);
    const answer: unknown[] = [];
    const ends: FinishReason[] = [];
    const options = { ...call, onFinish: (end: FinishReason) => ends.push(end) };
    for await (const part of aiSdkLanguageModel(model).generate(ASKED, options)) answer.push(part);
    return { answer, ends, asked: asked[0] as { readonly prompt: unknown[] } };
  }

  it.each(["v2", "v3", "v4"])("are offered to a model of specification %s and called by it", async (version) => {
    const finish = version === "v2" ? finishes.v2("tool-calls") : finishes.v3("tool-calls", "tool_calls");
    const { answer, ends, asked } = await answerOf(
      version,
      { tools: [TOOL] },
      start,
      written("I search."),
      { type: "tool-input-start", id: "a", toolName: "search" },
      { type: "tool-input-delta", id: "a", delta: '{"query":"lamp"}' },
      called('{"query":"lamp"}'),
      called("", { toolCallId: "b", providerMetadata: { google: { thoughtSignature: "s" } } }),
      called("{", { toolCallId: "c" }),
      called("{}", { toolCallId: "d", providerExecuted: true }),
      finish,
    );
    expect(answer).toEqual([
      "I search.",
      { id: "a", name: "search", input: { query: "lamp" } },
      { id: "b", name: "search", input: {}, providerData: { google: { thoughtSignature: "s" } } },
      { id: "c", name: "search", input: undefined },
    ]);
    expect(ends).toEqual(["tool-calls"]);
    expect(asked).toMatchObject({ tools: [{ type: "function", ...TOOL }], toolChoice: { type: "auto" } });
  });

  it("that are called without being offered are ignored", async () => {
    for (const call of [{}, { tools: [] }]) {
      const { answer, ends, asked } = await answerOf(
        "v3",
        call,
        written("Hm."),
        called("{}"),
        finishes.v3("tool-calls"),
      );
      expect([answer, ends]).toEqual([["Hm."], ["other"]]);
      expect(Object.keys(asked)).toEqual(["prompt"]);
    }
  });

  it.each<[string, FinishReason]>([
    ["stop", "tool-calls"],
    ["length", "length"],
  ])("end an answer by %s as %s", async (given, reason) => {
    const { ends } = await answerOf("v3", { tools: [TOOL] }, called("{}"), finishes.v3(given));
    expect(ends).toEqual([reason]);
  });

  it.each(["v2", "v3", "v4"])("are part of the prompt with their results: %s", async (version) => {
    const { model, asked } = modelOf(version, written("At dusk."), finishes.v3("stop"));
    const messages: readonly ModelMessage[] = [
      { role: "user", content: "When?" },
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "a", name: "search", input: { query: "lamp" } },
          { id: "b", name: "search", input: undefined, providerData: { google: { thoughtSignature: "s" } } },
        ],
      },
      { role: "tool", toolCallId: "a", toolName: "search", content: "At dusk." },
      { role: "tool", toolCallId: "b", toolName: "search", content: "no JSON" },
      { role: "assistant", content: "I look.", toolCalls: [{ id: "c", name: "search", input: {} }] },
      { role: "tool", toolCallId: "c", toolName: "search", content: "" },
      { role: "assistant", content: "" },
    ];
    for await (const part of aiSdkLanguageModel(model).generate(messages)) expect(part).toBe("At dusk.");
    const call = (toolCallId: string, input: object, more: object = {}) => ({
      type: "tool-call",
      toolCallId,
      toolName: "search",
      input,
      ...more,
    });
    const result = (toolCallId: string, value: string) => ({
      type: "tool-result",
      toolCallId,
      toolName: "search",
      output: { type: "text", value },
    });
    expect((asked[0] as { readonly prompt: unknown }).prompt).toEqual([
      { role: "user", content: [{ type: "text", text: "When?" }] },
      {
        role: "assistant",
        content: [
          call("a", { query: "lamp" }),
          call("b", {}, { providerOptions: { google: { thoughtSignature: "s" } } }),
        ],
      },
      { role: "tool", content: [result("a", "At dusk."), result("b", "no JSON")] },
      { role: "assistant", content: [{ type: "text", text: "I look." }, call("c", {})] },
      { role: "tool", content: [result("c", "")] },
      { role: "assistant", content: [{ type: "text", text: "" }] },
    ]);
  });

  it("explain the refusal of a vendor's package", async () => {
    const { server, model } = await openai();
    server.failNext({ status: 400, body: { error: { message: "tools are not supported", type: "x" } } });
    const error = await failureOf(() => ask(model, { tools: [TOOL] }));
    expect(error.message).toMatch(/answered 400: tools are not supported \(The request has tools, which/);
  });

  it("reach a server through a vendor's package", async () => {
    const { server, model } = await openai();
    for await (const part of aiSdkLanguageModel(model).generate(ASKED, { tools: [TOOL] }))
      expect(part).toEqual({ id: "call_1", name: "search", input: { name: "Brume" } });
    expect(server.requests[0]!.body.tools).toEqual([
      { type: "function", function: { name: "search", description: TOOL.description, parameters: TOOL.inputSchema } },
    ]);
  });
});
