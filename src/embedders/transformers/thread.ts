import { workerData } from "node:worker_threads";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { SESSION_OPTIONS, type TransformersLibrary } from "../../local-models/load-model.js";
import { serveModel } from "../../local-models/serve-model.js";
import { tokenLimitOf } from "../../local-models/token-limit.js";
import type { TransformersDescription, TransformersOperations, TransformersSetup } from "./operations.js";
import { poolTokens } from "./pool-tokens.js";

const setup = workerData as TransformersSetup;

serveModel(setup.source, openModel, (getModel) => {
  const operations: Omit<TransformersOperations, "load"> = {
    async embed(text) {
      const { embed } = await getModel();
      try {
        return await embed(text);
      } catch (error) {
        const subject = `a text of ${text.length} characters`;
        const message = `The model "${setup.source.model}" failed to embed ${subject}: ${getErrorMessage(error)}`;
        throw new KnowledgeBaseError("provider_failed", message, { cause: error });
      }
    },
    async countTokens(texts) {
      const { countTokens } = await getModel();
      return Uint32Array.from(texts, countTokens);
    },
  };
  return operations;
});

async function openModel({ AutoModel, AutoTokenizer }: TransformersLibrary, nameOrPath: string) {
  const [tokenizer, network] = await Promise.all([
    AutoTokenizer.from_pretrained(nameOrPath),
    AutoModel.from_pretrained(nameOrPath, { dtype: setup.dtype, device: "cpu", session_options: SESSION_OPTIONS }),
  ]);
  const { max_position_embeddings, n_positions } = network.config as unknown as { [field: string]: unknown };
  const tokenLimit = tokenLimitOf([tokenizer.model_max_length, max_position_embeddings, n_positions]);
  const countTokens = (text: string) => tokenizer.encode(text).length;
  const embed = async (text: string) => {
    const encoded = tokenizer(text);
    const tokenCount: number = encoded.input_ids.dims.at(-1)!;
    const output = await network(
      tokenCount <= tokenLimit ? encoded : tokenizer(text, { truncation: true, max_length: tokenLimit }),
    );
    const tokenVectors = output.last_hidden_state ?? output.logits ?? output.token_embeddings;
    return { vector: poolTokens(tokenVectors.data, tokenVectors.dims.at(-1), setup.pooling), tokenCount };
  };
  // This first run also allocates the session's memory, so that no caller waits for that.
  const { vector: probe } = await embed("a");
  const longestPrefix = Math.max(...setup.prefixes.map((prefix) => countTokens(`${prefix}a`) - countTokens("a")));
  const description: TransformersDescription = {
    dimensions: probe.length,
    maxInputTokens: tokenLimit - longestPrefix,
  };
  return { description, embed, countTokens };
}
