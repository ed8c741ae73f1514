import { embeddingOf, unitEmbeddingOf } from "./embedding.js";
import { type ScriptedServer, scriptedServer, type VendorAnswer, type VendorRequest } from "./scripted-server.js";

const MODELS: Readonly<Record<string, number>> = {
  "gemini-embedding-001": 3072,
  "gemini-embedding-2": 3072,
  "gemini-embedding-9": 80,
};
const TASKS = ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY", undefined];

/** The Gemini interface's `embedContent` and `batchEmbedContents`. Reduced vectors of the first generation are not of length 1. */
export function googleServer(key: string): Promise<ScriptedServer> {
  const guarded = (answer: (request: VendorRequest, model: string) => VendorAnswer) => (request: VendorRequest) => {
    if (request.headers["x-goog-api-key"] !== key) {
      return refuse(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");
    }
    const model = request.params.model!;
    return model in MODELS
      ? answer(request, model)
      : refuse(
          404,
          "NOT_FOUND",
          `models/${model} is not found for API version v1beta, or is not supported for embedContent.`,
        );
  };
  return scriptedServer({
    "POST /v1beta/models/:model:embedContent": guarded(({ body }, model) => {
      const problem = problemOf(body, model);
      return problem ?? { body: { embedding: { values: valuesOf(body, model) } } };
    }),
    "POST /v1beta/models/:model:batchEmbedContents": guarded(({ body: { requests } }, model) => {
      if (requests.length > 100) {
        const rule = "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n";
        return refuse(400, "INVALID_ARGUMENT", rule);
      }
      for (const request of requests) {
        const problem = problemOf(request, model);
        if (problem) return problem;
      }
      return { body: { embeddings: requests.map((request: unknown) => ({ values: valuesOf(request, model) })) } };
    }),
  });
}

interface EmbedContent {
  readonly model: string;
  readonly content: { readonly parts: readonly { readonly text: string }[] };
  readonly taskType?: string;
  readonly outputDimensionality?: number;
}

function problemOf({ model, content, taskType }: EmbedContent, asked: string): VendorAnswer | null {
  const invalid = (message: string) => refuse(400, "INVALID_ARGUMENT", message);
  if (model !== `models/${asked}`) return invalid("* model: unexpected model name");
  if (!TASKS.includes(taskType)) return invalid(`Invalid value at 'task_type': ${taskType}`);
  if (asked === "gemini-embedding-2" && taskType) return invalid("task_type is not supported by this model");
  return content.parts.length === 1 && content.parts[0]!.text !== ""
    ? null
    : invalid("* content: contents is not specified");
}

function valuesOf(request: unknown, model: string): number[] {
  const { content, taskType, outputDimensionality } = request as EmbedContent;
  const text = `${taskType ?? ""} ${content.parts[0]!.text}`;
  if (outputDimensionality === undefined) return unitEmbeddingOf(text, MODELS[model]!);
  return embeddingOf(text, outputDimensionality);
}

function refuse(code: number, status: string, message: string): VendorAnswer {
  return { status: code, body: { error: { code, message, status } } };
}
