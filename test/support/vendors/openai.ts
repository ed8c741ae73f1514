import { unitEmbeddingOf } from "./embedding.js";
import { type ScriptedServer, scriptedServer, type VendorAnswer, type VendorRequest } from "./scripted-server.js";

const MODELS: Readonly<Record<string, { readonly dimensions: number; readonly reducible: boolean }>> = {
  "text-embedding-3-large": { dimensions: 3072, reducible: true },
  "text-embedding-3-small": { dimensions: 1536, reducible: true },
  "text-embedding-ada-002": { dimensions: 1536, reducible: false },
  "text-embedding-4": { dimensions: 48, reducible: false },
};
/** What English takes, or so. */
const BYTES_PER_TOKEN = 4;

/** OpenAI's `POST /v1/embeddings`, with its limits and the messages of its refusals. */
export function openAiServer(key: string): Promise<ScriptedServer> {
  return scriptedServer({
    "POST /v1/embeddings": (request) =>
      request.headers.authorization === `Bearer ${key}`
        ? embeddings(request)
        : refusal(
            401,
            `Incorrect API key provided: ${request.headers.authorization?.slice(7)}. You can find your API key at …`,
            {
              code: "invalid_api_key",
            },
          ),
  });
}

/** Azure's two addresses of the same interface; its deployments are named after their models. */
export function azureOpenAiServer(key: string): Promise<ScriptedServer> {
  const guarded = (answer: (request: VendorRequest) => VendorAnswer) => (request: VendorRequest) =>
    request.headers["api-key"] === key
      ? answer(request)
      : { status: 401, body: { error: { code: "401", message: "Access denied due to invalid subscription key." } } };
  return scriptedServer({
    "POST /openai/v1/embeddings": guarded((request) => {
      const version = request.query.get("api-version");
      return version === "v1" || version === "preview" ? embeddings(request) : refusal(404, "Resource not found");
    }),
    "POST /openai/deployments/:deployment/embeddings": guarded((request) =>
      /^\d{4}-\d\d-\d\d/.test(request.query.get("api-version") ?? "")
        ? embeddings({ ...request, body: { ...request.body, model: request.params.deployment } })
        : refusal(404, "Resource not found"),
    ),
  });
}

function embeddings({ body }: VendorRequest): VendorAnswer {
  const { model, input, dimensions, encoding_format: format } = body;
  const known = MODELS[model];
  if (!known)
    return refusal(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
      code: "model_not_found",
    });
  if (format !== "float") return refusal(400, "this fake knows encoding_format float");
  if (dimensions !== undefined && !known.reducible)
    return refusal(400, "This model does not support specifying dimensions.");
  if (!Array.isArray(input) || input.length === 0 || input.some((text) => text === "")) {
    return refusal(
      400,
      "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    );
  }
  if (input.length > 2048) return refusal(400, "'input' array too long. Expected at most 2048 items.");
  const tokens = input.map((text: string) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN));
  const longest = Math.max(...tokens);
  const total = tokens.reduce((sum, more) => sum + more, 0);
  if (longest > 8192) {
    return refusal(400, `This model's maximum context length is 8192 tokens, however you requested ${longest} tokens.`);
  }
  if (total > 300_000)
    return refusal(400, "Requested more than 300000 tokens, max 300000 tokens per request", {
      type: "max_tokens_per_request",
    });
  const data = input.map((text: string, index: number) => {
    return { object: "embedding", index, embedding: unitEmbeddingOf(text, dimensions ?? known.dimensions) };
  });
  return { body: { object: "list", data, model, usage: { prompt_tokens: total, total_tokens: total } } };
}

function refusal(status: number, message: string, more: Record<string, unknown> = {}): VendorAnswer {
  return { status, body: { error: { message, type: "invalid_request_error", param: null, code: null, ...more } } };
}
