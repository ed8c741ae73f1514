import { inspect } from "node:util";
import {
  type FinishReason,
  type GenerateOptions,
  type ModelMessage,
  type ModelTool,
  openAICompatible,
  type ToolCall,
} from "lorebase";
import { languageModelContract } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallUsage } from "../../src/interfaces/hosted.js";
import { failureOf } from "../support/knowledge-base.js";
import { chatServer, completion, EVENT_STREAM, events, WRITTEN } from "../support/vendors/chat-completions.js";
import { type Fault, type ScriptedServer, tooMany } from "../support/vendors/scripted-server.js";

const KEY = "sk-canary-5d21f0";
const ASKED: readonly ModelMessage[] = [{ role: "user", content: "When is the lamp lit?" }];
const ANSWER = WRITTEN.join("");

async function start(options: { key?: string } = {}) {
  const server = await chatServer(options.key);
  const baseUrl = `${server.origin}/v1/`;
  const model = openAICompatible({ baseUrl, model: "test-1", ...(options.key && { apiKey: options.key }) });
  const parts: string[] = [];
  const ask = async (call: GenerateOptions = {}, messages = ASKED) => {
    parts.length = 0;
    for await (const part of model.generate(messages, call)) parts.push(String(part));
    return parts.join("");
  };
  return { server, model, ask, parts };
}

async function partsOf(answer: AsyncIterable<unknown>) {
  const parts: unknown[] = [];
  for await (const part of answer) parts.push(part);
  return parts;
}

const stream = (...body: (string | Uint8Array)[]): Fault => ({ headers: EVENT_STREAM, body });
const part = (choice: object) => ({ choices: [{ index: 0, ...choice }] });
const cutBefore = (place: number) => completion().slice(0, place);

describe("contract", () => {
  let shared: ScriptedServer;
  beforeAll(async () => {
    shared = await chatServer();
  });
  afterAll(() => shared.close());
  const create = async () => openAICompatible({ baseUrl: `${shared.origin}/v1`, model: "test-1" });
  for (const { name, run } of languageModelContract(create, { callsTools: true })) it(name, run);
});

it("gives the answer part by part, and tells its cost and why it ended", async () => {
  const { server, model, ask, parts } = await start({ key: KEY });
  const costs: CallUsage[] = [];
  const ends: FinishReason[] = [];
  const call = {
    onUsage: (usage: CallUsage) => costs.push(usage),
    onFinish: (reason: FinishReason) => ends.push(reason),
  };
  expect(await ask({ ...call, temperature: 0.2, maxOutputTokens: 100 })).toBe(ANSWER);
  expect(parts).toEqual(WRITTEN);
  expect(costs).toEqual([{ inputTokens: 21, outputTokens: 9 }]);
  expect(ends).toEqual(["stop"]);
  expect([model.provider, model.model, model.hosted]).toEqual([
    "OPENAI_COMPATIBLE",
    "test-1",
    { endpoint: `${server.origin}/v1`, timeoutMs: 120_000 },
  ]);
  const [request] = server.requests;
  expect(request!.headers).toMatchObject({ authorization: `Bearer ${KEY}`, accept: "text/event-stream" });
  expect(request!.body).toEqual({
    model: "test-1",
    messages: ASKED,
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.2,
    max_tokens: 100,
  });
});

it("sends no key where there is none, and nothing before the first part is asked for", async () => {
  const { server, model, ask } = await start();
  const answer = model.generate(ASKED)[Symbol.asyncIterator]();
  expect(server.requests).toHaveLength(0);
  await answer.next();
  await answer.return?.();
  expect(await ask()).toBe(ANSWER);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
});

it("asks OpenAI itself for its own limit of tokens", async () => {
  const asked: unknown[] = [];
  const fake: typeof fetch = async (_, init) => {
    asked.push(JSON.parse(String(init!.body)));
    return new Response(events(completion()).join(""), { headers: EVENT_STREAM });
  };
  const model = openAICompatible({ baseUrl: "https://api.openai.com/v1", model: "m", apiKey: "k", fetch: fake });
  const parts = await partsOf(model.generate(ASKED, { maxOutputTokens: 7 }));
  expect(parts).toEqual(WRITTEN);
  expect(asked).toEqual([expect.objectContaining({ max_completion_tokens: 7 })]);
  expect(asked[0]).not.toHaveProperty("max_tokens");
});

it("sends pictures as data URLs", async () => {
  const { server, ask } = await start();
  const picture = { type: "image", mimeType: "image/png", bytes: Uint8Array.of(137, 80, 78, 71) } as const;
  await ask({}, [
    { role: "system", content: "Describe." },
    { role: "user", content: [{ type: "text", text: "This:" }, picture] },
  ]);
  expect(server.requests[0]!.body.messages).toEqual([
    { role: "system", content: "Describe." },
    {
      role: "user",
      content: [
        { type: "text", text: "This:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } },
      ],
    },
  ]);
});

it.each([1, 2, 3, 7, 64])("reads an answer that comes in pieces of %d bytes", async (size) => {
  const { server, ask } = await start();
  const bytes = Buffer.from(events(completion()).join("").replaceAll("\n", "\r\n"));
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  server.failNext(stream(...pieces));
  expect(await ask()).toBe(ANSWER);
});

it("passes over comments, empty parts, thoughts, and what servers add", async () => {
  const { server, ask } = await start();
  const others = [
    { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
    part({ delta: { reasoning_content: "hm" } }),
    part({ delta: null }),
    { id: "1", usage: null },
  ];
  server.failNext(stream(": keep-alive\n\n", ...events([...others, ...completion()])));
  expect(await ask()).toBe(ANSWER);
});

it.each(["reasoning_content", "reasoning"])("tells by empty parts that the model reasons: %s", async (field) => {
  const { server, ask, parts } = await start();
  server.failNext(stream(...events([part({ delta: { [field]: "hm" } }), ...completion()])));
  expect(await ask()).toBe(ANSWER);
  expect(parts[0]).toBe("");
});

it("needs no [DONE], and reads nothing after it", async () => {
  const { server, ask } = await start();
  server.failNext(stream(...events(completion()).slice(0, -1)));
  expect(await ask()).toBe(ANSWER);
  server.failNext(stream(...events(completion()), "data: no JSON\n\n"));
  expect(await ask()).toBe(ANSWER);
});

it.each<[string, FinishReason]>([
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["tool_calls", "other"],
  ["constructor", "other"],
])("tells that an answer ended by %s", async (given, reason) => {
  const { server, ask } = await start();
  server.failNext(stream(...events([part({ delta: { content: "half" } }), part({ delta: {}, finish_reason: given })])));
  const ends: FinishReason[] = [];
  expect(await ask({ onFinish: (end) => ends.push(end) })).toBe("half");
  expect(ends).toEqual([reason]);
});

it("gives a refusal in words as the answer, and tells that it is withheld", async () => {
  const { server, ask } = await start();
  const refusal = part({ delta: { refusal: "I can't." }, finish_reason: "stop" });
  server.failNext(stream(...events([refusal])));
  const ends: FinishReason[] = [];
  expect(await ask({ onFinish: (reason) => ends.push(reason) })).toBe("I can't.");
  expect(ends).toEqual(["content-filter"]);
});

it.each<[string, Fault, string, RegExp]>([
  ["amid the answer", stream(...events(cutBefore(3)).slice(0, -1)), "Das Licht ", /ended early/],
  ["amid the answer, with [DONE]", stream(...events(cutBefore(3))), "Das Licht ", /ended early/],
  ["amid an event", stream(events(completion()).join("").slice(0, -60)), ANSWER, /ended early/],
  ["before anything was written", stream(), "", /ended early/],
])("fails with a stream that ends %s", async (_, fault, before, message) => {
  const { server, ask, parts } = await start();
  server.failNext(fault);
  const ends: FinishReason[] = [];
  const error = await failureOf(() => ask({ onFinish: (end) => ends.push(end) }));
  expect([error.code, error.retryable, parts.join("")]).toEqual(["provider_failed", true, before]);
  expect(error.message).toMatch(message);
  expect(ends).toEqual([]);
});

it.each<[string, string, boolean, RegExp]>([
  [
    "OpenAI's error",
    'data: {"error":{"message":"The server had an error","type":"server_error"}}\n\n',
    true,
    /failed: The server had an error/,
  ],
  ["a text for an error", 'data: {"error":"model runner has stopped"}\n\n', true, /failed: model runner has stopped/],
  ["vLLM's error", 'data: {"object":"error","message":"too long","code":400}\n\n', false, /answered 400: too long/],
  ["an error with a status", 'data: {"error":{"code":502,"message":"upstream"}}\n\n', true, /answered 502: upstream/],
  ["an event named error", 'event: error\ndata: {"message":"no slot"}\n\n', true, /failed: no slot/],
  ["malformed JSON", 'data: {"choices":[{"del\n\n', true, /an invalid event/],
  ["a part of another kind", 'data: {"choices":"none"}\n\n', true, /an invalid event/],
])("fails with %s amid the stream", async (_, event, retryable, message) => {
  const { server, ask, parts } = await start();
  server.failNext(stream(...events(cutBefore(3)).slice(0, -1), event));
  const error = await failureOf(() => ask());
  expect([error.code, error.retryable, parts.join("")]).toEqual(["provider_failed", retryable, "Das Licht "]);
  expect(error.message).toMatch(message);
});

it.each<[string, Fault, boolean, number | null, RegExp]>([
  ["500", { status: 500, body: { error: { message: "overloaded" } } }, true, null, /answered 500: overloaded/],
  ["429 with Retry-After", tooMany({ error: { message: "slow down" } }, "3"), true, 3000, /answered 429: slow down/],
  ["429 without", tooMany({ error: { message: "slow down" } }), true, null, /answered 429: slow down/],
  ["400", { status: 400, body: { error: { message: "no such model" } } }, false, null, /answered 400: no such model/],
  ["404 in plain text", { status: 404, body: "404 page not found" }, false, null, /answered 404: Not Found/],
  ["a redirect", { status: 307, headers: { location: "http://127.0.0.1:9/" } }, false, null, /answered 307/],
  ["HTML", "html", true, null, /a response of type text\/html instead of an event stream/],
  [
    "an answer that isn't streamed",
    { body: { choices: [] } },
    true,
    null,
    /application\/json instead of an event stream/,
  ],
  ["an error under 200", { body: { error: "model 'x' not found" } }, true, null, /failed: model 'x' not found/],
  ["a connection that is refused", "refuse", true, null, /fetch failed: /],
  ["a connection that breaks amid the answer", "reset", true, null, /terminated: /],
])("fails with %s", async (_, fault, retryable, retryAfterMs, message) => {
  const { server, ask } = await start();
  server.failNext(fault);
  const error = await failureOf(() => ask());
  expect([error.code, error.retryable, error.retryAfterMs]).toEqual(["provider_failed", retryable, retryAfterMs]);
  expect(error.message).toMatch(message);
  expect(error.message).toContain(new URL(server.origin).host);
  expect(await ask()).toBe(ANSWER);
});

it("fails for good with a key that is refused, and shows none", async () => {
  const { server } = await start({ key: "sk-right" });
  const model = openAICompatible({ baseUrl: `${server.origin}/v1`, model: "test-1", apiKey: KEY });
  const error = await failureOf(() => partsOf(model.generate(ASKED)));
  expect([error.code, error.retryable]).toEqual(["provider_failed", false]);
  expect(error.message).toMatch(/answered 401: Incorrect API key provided: Bearer ••••\./);
  expect(inspect([error, model], { depth: 10, showHidden: true })).not.toContain("canary");
});

it.each<Fault>(["stall", "stall-in-body"])("ends a call that stalls with the caller's signal: %s", async (fault) => {
  const { server, ask } = await start();
  const controller = new AbortController();
  server.failWhen(() => {
    setImmediate(() => controller.abort());
    return fault;
  });
  await expect(ask({ signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
  await expect(ask({ signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
  expect(server.requests).toHaveLength(1);
});

it.each([
  [{ baseUrl: "localhost:11434/v1", model: "m" }, /baseUrl: must be an http or https URL/],
  [
    { baseUrl: "http://localhost/v1?key=1", model: "m" },
    /baseUrl: must not contain credentials, a query or a fragment/,
  ],
  [{ baseUrl: "http://localhost/v1", model: "" }, /model: /],
  [{ baseUrl: "http://localhost/v1", model: "m", apiKeys: KEY }, /apiKeys/],
])("refuses options that can't be: %j", async (options, message) => {
  const error = await failureOf(() => openAICompatible(options));
  expect(error.code).toBe("invalid_input");
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain(KEY);
});

describe("tools", () => {
  const TOOL: ModelTool = {
    name: "search",
    description: "Searches the documents.",
    inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  };
  const toolCalls = (...tool_calls: object[]) => part({ delta: { tool_calls } });
  const called = (name: string, query: string) => ({ name, arguments: JSON.stringify({ query }) });

  /** The answer to a request with tools, as a server streams it. */
  async function answerOf(...streamed: unknown[]) {
    const { server, model } = await start();
    server.failNext(stream(...events([...streamed, part({ delta: {}, finish_reason: "tool_calls" })])));
    const ends: FinishReason[] = [];
    const parts = await partsOf(model.generate(ASKED, { tools: [TOOL], onFinish: (end) => ends.push(end) }));
    return { parts, ends };
  }

  it("are sent with earlier calls and their results", async () => {
    const { server, model } = await start();
    const calls: readonly ToolCall[] = [
      { id: "1", name: "search", input: { query: "lamp" } },
      { id: "2", name: "search", input: undefined, providerData: { google: { thought_signature: "s" } } },
    ];
    const messages: readonly ModelMessage[] = [
      ...ASKED,
      { role: "assistant", content: "", toolCalls: calls },
      { role: "tool", toolCallId: "1", toolName: "search", content: "The lamp is lit at dusk." },
      { role: "tool", toolCallId: "2", toolName: "search", content: "The input isn't JSON." },
      { role: "assistant", content: "At dusk.", toolCalls: [] },
    ];
    await partsOf(model.generate(messages, { tools: [TOOL] }));
    const { body } = server.requests[0]!;
    expect(body.tools).toEqual([
      {
        type: "function",
        function: { name: "search", description: "Searches the documents.", parameters: TOOL.inputSchema },
      },
    ]);
    expect(body.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "1", type: "function", function: { name: "search", arguments: '{"query":"lamp"}' } },
          {
            id: "2",
            type: "function",
            function: { name: "search", arguments: "{}" },
            extra_content: { google: { thought_signature: "s" } },
          },
        ],
      },
      { role: "tool", tool_call_id: "1", content: "The lamp is lit at dusk." },
      { role: "tool", tool_call_id: "2", content: "The input isn't JSON." },
      { role: "assistant", content: "At dusk." },
    ]);
  });

  it("change nothing in the request if there are none", async () => {
    const { server, model } = await start();
    for (const options of [{}, { tools: [] }]) await partsOf(model.generate(ASKED, options));
    expect(server.requests[0]!.body).toEqual({
      model: "test-1",
      messages: ASKED,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(server.requests[1]!.body).toEqual(server.requests[0]!.body);
  });

  it("are called after the text, from the pieces of several calls", async () => {
    const { parts, ends } = await answerOf(
      part({ delta: { content: "I search." } }),
      toolCalls({ index: 0, id: "a", function: { name: "search", arguments: "" } }),
      toolCalls({ index: 1, id: "b", type: "function", function: { name: "expand", arguments: '{"n":' } }),
      toolCalls({ index: 0, function: { arguments: '{"query":' } }, { index: 1, function: { arguments: "5}" } }),
      toolCalls({ index: 0, id: "", function: { name: "", arguments: '"lamp"}' } }),
    );
    expect(parts).toEqual([
      "I search.",
      { id: "a", name: "search", input: { query: "lamp" } },
      { id: "b", name: "expand", input: { n: 5 } },
    ]);
    expect(ends).toEqual(["tool-calls"]);
  });

  it.each<[string, unknown[], object[]]>([
    [
      "whole calls in one event",
      [
        toolCalls(
          { index: 0, id: "a", function: called("search", "x") },
          { index: 1, id: "b", function: called("search", "y") },
        ),
      ],
      [
        { id: "a", name: "search", input: { query: "x" } },
        { id: "b", name: "search", input: { query: "y" } },
      ],
    ],
    [
      "whole calls without an index",
      [
        toolCalls({ id: "a", function: called("search", "x") }),
        toolCalls({ id: "b", function: called("search", "y") }),
      ],
      [
        { id: "a", name: "search", input: { query: "x" } },
        { id: "b", name: "search", input: { query: "y" } },
      ],
    ],
    [
      "whole calls with the same index",
      [
        toolCalls({ index: 0, id: "a", function: called("search", "x") }),
        toolCalls({ index: 0, id: "b", function: called("expand", "y") }),
      ],
      [
        { id: "a", name: "search", input: { query: "x" } },
        { id: "b", name: "expand", input: { query: "y" } },
      ],
    ],
    [
      "a call in pieces without an index",
      [
        toolCalls({ id: "a", function: { name: "search" } }),
        toolCalls({ function: { arguments: '{"query":"x"' } }),
        toolCalls({ function: { arguments: "}" } }),
      ],
      [{ id: "a", name: "search", input: { query: "x" } }],
    ],
    [
      "an id after the name",
      [
        toolCalls({ index: 0, function: called("search", "x") }),
        toolCalls({ index: 0, id: "a", function: { arguments: "" } }),
      ],
      [{ id: "a", name: "search", input: { query: "x" } }],
    ],
    [
      "a name after the id",
      [toolCalls({ id: "a" }), toolCalls({ function: called("search", "x") })],
      [{ id: "a", name: "search", input: { query: "x" } }],
    ],
    [
      "arguments as an object",
      [toolCalls({ index: 0, id: "a", function: { name: "search", arguments: { query: "x" } } })],
      [{ id: "a", name: "search", input: { query: "x" } }],
    ],
    [
      "no arguments",
      [toolCalls({ index: 0, id: "a", function: { name: "list", arguments: null } })],
      [{ id: "a", name: "list", input: {} }],
    ],
    [
      "arguments that aren't JSON",
      [toolCalls({ index: 0, id: "a", function: { name: "search", arguments: '{"query":' } })],
      [{ id: "a", name: "search", input: undefined }],
    ],
    [
      "a signature to send back",
      [toolCalls({ index: 0, id: "a", function: called("search", "x"), extra_content: { google: "s" } })],
      [{ id: "a", name: "search", input: { query: "x" }, providerData: { google: "s" } }],
    ],
  ])("are read from a server that sends %s", async (_, streamed, calls) => {
    expect(await answerOf(...streamed)).toEqual({ parts: calls, ends: ["tool-calls"] });
  });

  it("get ids of their own from a server that sends none", async () => {
    const { parts } = await answerOf(
      toolCalls({ index: 0, function: called("search", "x") }, { index: 1, function: called("search", "y") }),
      toolCalls({ function: called("search", "z") }),
    );
    const calls = parts as ToolCall[];
    expect(calls.map(({ input }) => input)).toEqual([{ query: "x" }, { query: "y" }, { query: "z" }]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(calls.every(({ id }) => id.length > 4)).toBe(true);
  });

  it.each<[string, FinishReason]>([
    ["stop", "tool-calls"],
    ["function_call", "tool-calls"],
    ["length", "length"],
    ["content_filter", "content-filter"],
  ])("end an answer by %s as %s", async (given, reason) => {
    const { server, model } = await start();
    const call = toolCalls({ index: 0, id: "a", function: called("search", "x") });
    server.failNext(stream(...events([call, part({ delta: {}, finish_reason: given })])));
    const ends: FinishReason[] = [];
    await partsOf(model.generate(ASKED, { tools: [TOOL], onFinish: (end) => ends.push(end) }));
    expect(ends).toEqual([reason]);
  });

  it("are not called by an answer that breaks off", async () => {
    const { server, model } = await start();
    server.failNext(stream(...events([toolCalls({ index: 0, id: "a", function: called("search", "x") })])));
    const parts: unknown[] = [];
    const error = await failureOf(async () => {
      for await (const part of model.generate(ASKED, { tools: [TOOL] })) parts.push(part);
    });
    expect([error.code, error.retryable, parts]).toEqual(["provider_failed", true, []]);
  });

  it("that are called without being offered are ignored", async () => {
    const { server, ask } = await start();
    const call = toolCalls({ index: 0, id: "a", function: called("search", "x") });
    server.failNext(
      stream(
        ...events([part({ delta: { content: "Hm." } }), call, ...cutBefore(1), part({ finish_reason: "tool_calls" })]),
      ),
    );
    const ends: FinishReason[] = [];
    expect(await ask({ onFinish: (end) => ends.push(end) })).toBe("Hm.");
    expect(ends).toEqual(["other"]);
  });

  it.each<[string, unknown[], RegExp]>([
    [
      "a call without a name",
      [toolCalls({ index: 0, id: "a", function: { arguments: "{}" } })],
      /a tool call without a name/,
    ],
    [
      "too many calls",
      [
        toolCalls(
          ...Array.from({ length: 129 }, (_, index) => ({ index, id: `${index}`, function: called("search", "x") })),
        ),
      ],
      /more than 128 tool calls/,
    ],
    [
      "endless arguments",
      Array.from({ length: 11 }, () =>
        toolCalls({ index: 0, function: { name: "search", arguments: "x".repeat(100_000) } }),
      ),
      /tool calls with more than 1000000 characters/,
    ],
    ["a call of another kind", [part({ delta: { tool_calls: "search" } })], /an invalid event/],
  ])("fail with %s", async (_, streamed, message) => {
    const error = await failureOf(() => answerOf(...streamed));
    expect([error.code, error.message]).toEqual(["provider_failed", expect.stringMatching(message)]);
  });

  it.each([400, 404, 422, 501])("explain a refusal with status %d", async (status) => {
    const { server, model } = await start();
    server.failNext({ status, body: { error: { message: "stablelm2 does not support tools" } } }, 2);
    const error = await failureOf(() => partsOf(model.generate(ASKED, { tools: [TOOL] })));
    expect([error.code, error.httpStatus]).toEqual(["provider_failed", status]);
    expect(error.message).toMatch(
      /stablelm2 does not support tools \(The request has tools, which this model or its server may not support\.\)$/,
    );
    const withoutTools = await failureOf(() => partsOf(model.generate(ASKED)));
    expect(withoutTools.message).not.toContain("has tools");
  });
});
