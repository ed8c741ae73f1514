import { unitEmbeddingOf } from "./embedding.js";
import { type ScriptedServer, scriptedServer, type VendorAnswer, type VendorRequest } from "./scripted-server.js";

const MODELS: Readonly<Record<string, number>> = { "voyage-3-large": 1024, "voyage-3-lite": 512, "voyage-9": 96 };
const INPUT_TYPES = ["query", "document", null, undefined];

/** Voyage's `POST /v1/embeddings`. Its refusals are sentences under `detail`. */
export function voyageServer(key: string): Promise<ScriptedServer> {
  return scriptedServer({ "POST /v1/embeddings": (request) => embeddings(request, key) });
}

function embeddings({ headers, body }: VendorRequest, key: string): VendorAnswer {
  const refuse = (status: number, detail: string) => ({ status, body: { detail } });
  if (headers.authorization !== `Bearer ${key}`)
    return refuse(401, `Provided API key is invalid: ${headers.authorization}`);
  const { model, input, input_type, output_dimension, truncation = true } = body;
  const native = MODELS[model];
  if (native === undefined) return refuse(400, `Model ${model} is not supported.`);
  if (!INPUT_TYPES.includes(input_type)) return refuse(400, `Value ${input_type} is not a valid input_type.`);
  if (input.length === 0 || input.length > 1000) return refuse(400, "The batch size limit is 1000.");
  if (input.some((text: string) => text === ""))
    return refuse(400, "Input cannot contain empty strings or empty lists");
  const tokens = input.map((text: string) => Math.ceil(Buffer.byteLength(text) / 4));
  if (!truncation && Math.max(...tokens) > 32_000) return refuse(400, "The example at index 0 has too many tokens.");
  const total = tokens.reduce((sum: number, more: number) => sum + more, 0);
  if (total > 120_000) return refuse(400, "The max allowed tokens per submitted batch is 120000.");
  const data = input.map((text: string, index: number) => {
    return {
      object: "embedding",
      embedding: unitEmbeddingOf(`${input_type} ${text}`, output_dimension ?? native),
      index,
    };
  });
  return { body: { object: "list", data, model, usage: { total_tokens: total } } };
}
