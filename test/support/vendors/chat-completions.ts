import { type ScriptedServer, scriptedServer, type VendorAnswer, type VendorRequest } from "./scripted-server.js";

/** What the model writes, part by part. */
export const WRITTEN = ["Das ", "Licht ", "brennt – ", "ab 21:00 ", "🔦."];

export const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8" };

/** The arguments of a tool call, piece by piece. */
const ARGUMENTS = ['{"na', 'me":"Bru', 'me"}'];

/**
 * `POST /v1/chat/completions` as OpenAI, Ollama, LM Studio and vLLM serve it, streamed; under a key where one is given.
 * The model calls the first tool that is offered, and answers in words when it has its result.
 */
export function chatServer(key?: string): Promise<ScriptedServer> {
  return scriptedServer({ "POST /v1/chat/completions": (request) => complete(request, key) });
}

function complete({ headers, body }: VendorRequest, key: string | undefined): VendorAnswer {
  const refuse = (status: number, message: string, type: string) => ({
    status,
    body: { error: { message, type, param: null, code: null } },
  });
  if (key !== undefined && headers.authorization !== `Bearer ${key}`) {
    return refuse(401, `Incorrect API key provided: ${headers.authorization}.`, "invalid_request_error");
  }
  if (!body.stream) return refuse(400, "this fake streams only", "invalid_request_error");
  const includeUsage = body.stream_options?.include_usage;
  const callsTool = body.tools?.length > 0 && body.messages.at(-1).role !== "tool";
  const parts = callsTool ? toolCall(body.tools[0].function.name) : completion(includeUsage);
  return { headers: EVENT_STREAM, body: events(parts) };
}

/** The events of an answer that calls a tool. */
function toolCall(name: string): unknown[] {
  const choice = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    choice({ role: "assistant", content: null }),
    choice({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: "" } }] }),
    ...ARGUMENTS.map((piece) => choice({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    choice({}, "tool_calls"),
  ];
}

/** The events of a whole answer, in order; with its cost where that was asked for. */
export function completion(includeUsage = false): unknown[] {
  const shared = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1763700000, model: "test-1" };
  const choice = (delta: object, finish_reason: string | null = null) => ({
    ...shared,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(includeUsage && { usage: null }),
  });
  return [
    choice({ role: "assistant", content: "" }),
    ...WRITTEN.map((content) => choice({ content })),
    choice({}, "stop"),
    ...(includeUsage
      ? [{ ...shared, choices: [], usage: { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 } }]
      : []),
  ];
}

/** Events as they are sent, one a piece, and the end. */
export function events(parts: readonly unknown[]): string[] {
  return [...parts.map((part) => `data: ${JSON.stringify(part)}\n\n`), "data: [DONE]\n\n"];
}
