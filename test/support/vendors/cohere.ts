import { ranking } from "./relevance.js";
import { type ScriptedServer, scriptedServer, type VendorAnswer, type VendorRequest } from "./scripted-server.js";

const MODELS = [
  "rerank-v4.0-pro",
  "rerank-v4.0-fast",
  "rerank-v3.5",
  "rerank-english-v3.0",
  "rerank-multilingual-v3.0",
];

/** Cohere's `POST /v2/rerank`, with its limits and the messages of its refusals. */
export function cohereServer(key: string): Promise<ScriptedServer> {
  return scriptedServer({ "POST /v2/rerank": (request) => rerank(request, key) });
}

function rerank({ headers, body }: VendorRequest, key: string): VendorAnswer {
  const refuse = (status: number, message: string) => ({ status, body: { message } });
  if (headers.authorization === undefined) return refuse(401, "no api key supplied");
  if (headers.authorization !== `Bearer ${key}`) return refuse(401, "invalid api token");
  const { model, query, documents, top_n } = body;
  if (!MODELS.includes(model)) {
    return refuse(
      404,
      `model '${model}' not found, make sure the correct model ID was used and that you have access to the model.`,
    );
  }
  if (documents.length === 0) return refuse(400, "invalid request: list of documents must not be empty");
  if (documents.length > 10_000) return refuse(400, "invalid request: too many documents");
  if (documents.some((document: string) => document.trim() === ""))
    return refuse(400, "invalid request: empty document");
  if (query.trim() === "") return refuse(400, "invalid request: query must not be empty or be only whitespace");
  const meta = {
    api_version: { version: "2", is_experimental: false },
    billed_units: { search_units: Math.ceil(documents.length / 100) },
  };
  return { body: { results: ranking(query, documents, top_n), id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf", meta } };
}
