// An embedder that calls a server of Hugging Face's text-embeddings-inference.
import { type CallOptions, type Embedder, KnowledgeBaseError, type Provider, vendorError } from "lorebase";
import { z } from "zod";

const config = z.strictObject({
  provider: z.literal("TEI"),
  baseUrl: z.url(),
  model: z.string().min(1),
  dimensions: z.int().min(1),
  apiKey: z.string().min(1).optional(),
});

export const tei: Provider<z.infer<typeof config>, Embedder> = {
  provider: "TEI",
  config,
  secrets: ["apiKey"],
  async create({ baseUrl, model, dimensions, apiKey }, { fetch }) {
    const failed = (status: number | null, message: string, headers = new Headers()) =>
      vendorError({ code: "provider_failed", vendor: "TEI", status, message, headers: Object.fromEntries(headers) });

    async function post<Item>(path: string, texts: readonly string[], { signal }: CallOptions): Promise<Item[]> {
      const headers = { "content-type": "application/json", ...(apiKey && { authorization: `Bearer ${apiKey}` }) };
      // The server refuses empty texts, and empty lists of them.
      const body = JSON.stringify({ inputs: texts.map((text) => text || " "), truncate: true });
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      try {
        const answer = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body, signal: signal ?? null });
        if (!answer.ok) throw failed(answer.status, await answer.text(), answer.headers);
        return (await answer.json()) as Item[];
      } catch (error) {
        if (signal?.aborted || KnowledgeBaseError.is(error)) throw error;
        throw failed(null, String(error));
      }
    }

    return {
      provider: "TEI",
      model,
      dimensions,
      maxInputTokens: 512,
      maxBatchSize: 32,
      hosted: { endpoint: baseUrl },
      embed: async (texts, options) =>
        (await post<number[]>("/embed", texts, options)).map((v) => Float32Array.from(v)),
      countTokens: async (texts, options = {}) =>
        (await post<unknown[]>("/tokenize", texts, options)).map((tokens) => tokens.length),
    };
  },
};
