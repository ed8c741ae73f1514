import { ranking } from "./relevance.js";
import { type ScriptedServer, scriptedServer, type VendorAnswer, type VendorRequest } from "./scripted-server.js";

const MODELS = ["zerank-2", "zerank-1", "zerank-1-small"];

/** ZeroEntropy's `POST /v1/models/rerank`, with its limit of bytes. What its refusals say is not documented, but for their form. */
export function zeroEntropyServer(key: string): Promise<ScriptedServer> {
  return scriptedServer({ "POST /v1/models/rerank": (request) => rerank(request, key) });
}

function rerank({ headers, body }: VendorRequest, key: string): VendorAnswer {
  const refuse = (status: number, detail: unknown) => ({ status, body: { detail } });
  if (headers.authorization !== `Bearer ${key}`) return refuse(401, "Invalid API key.");
  const { model, query, documents, top_n } = body;
  if (!MODELS.includes(model)) return refuse(422, [{ loc: ["body", "model"], msg: `unknown model ${model}` }]);
  const size = (text: string) => Buffer.byteLength(text);
  const bytes = documents.reduce((sum: number, text: string) => sum + 150 + size(query) + size(text), 0);
  if (bytes > 5_000_000) return refuse(400, `Request of ${bytes} bytes exceeds 5000000 bytes.`);
  return {
    body: {
      results: ranking(query, documents, top_n),
      total_bytes: bytes,
      total_tokens: Math.ceil(bytes / 4),
      actual_latency_mode: "fast",
      e2e_latency: 0.2,
      inference_latency: 0.1,
    },
  };
}
