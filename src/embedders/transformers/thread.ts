import { workerData } from "node:worker_threads";
import { KnowledgeBaseError, messageOf } from "../../errors.js";
import { SESSION_OPTIONS } from "../../local-models/load-model.js";
import { serve } from "../../local-models/serve.js";
import { threadModel } from "../../local-models/thread-model.js";
import type { TransformersDescription, TransformersOperations, TransformersSetup } from "./operations.js";
import { poolTokens } from "./pool-tokens.js";

/** For a model that names no limit; that of BERT and its descendants. */
const DEFAULT_TOKEN_LIMIT = 512;
/** Tokenizers that know of no limit say 10^30. */
const MAX_PLAUSIBLE_LIMIT = 1e6;

const setup = workerData as TransformersSetup;

const model = threadModel(setup.source, async ({ AutoModel, AutoTokenizer }, nameOrPath) => {
  const [tokenizer, network] = await Promise.all([
    AutoTokenizer.from_pretrained(nameOrPath),
    AutoModel.from_pretrained(nameOrPath, { dtype: setup.dtype, device: "cpu", session_options: SESSION_OPTIONS }),
  ]);
  const { max_position_embeddings, n_positions } = network.config as unknown as { [field: string]: unknown };
  const limits = [tokenizer.model_max_length, max_position_embeddings, n_positions];
  const credible = limits.filter((limit) => typeof limit === "number" && limit <= MAX_PLAUSIBLE_LIMIT) as number[];
  const tokenLimit = credible.length > 0 ? Math.min(...credible) : DEFAULT_TOKEN_LIMIT;
  const count = (text: string) => tokenizer.encode(text).length;
  const embed = async (text: string) => {
    const whole = tokenizer(text);
    const tokens: number = whole.input_ids.dims.at(-1)!;
    const output = await network(
      tokens <= tokenLimit ? whole : tokenizer(text, { truncation: true, max_length: tokenLimit }),
    );
    const hidden = output.last_hidden_state ?? output.logits ?? output.token_embeddings;
    return { vector: poolTokens(hidden.data, hidden.dims.at(-1), setup.pooling), tokens };
  };
  // The first run also sets aside the session's memory, so the first caller does not wait for it.
  const { vector: probe } = await embed("a");
  const longestPrefix = Math.max(...setup.prefixes.map((prefix) => count(`${prefix}a`) - count("a")));
  const description: TransformersDescription = {
    dimensions: probe.length,
    maxInputTokens: tokenLimit - longestPrefix,
  };
  return { description, embed, count };
});

serve<TransformersOperations>({
  async load(options) {
    return (await model(options)).description;
  },
  async embed(text) {
    const { embed } = await model();
    try {
      return await embed(text);
    } catch (error) {
      const message = `The model "${setup.source.model}" failed on a text of ${text.length} characters: ${messageOf(error)}`;
      throw new KnowledgeBaseError("provider_failed", message, { cause: error });
    }
  },
  async countTokens(texts) {
    const { count } = await model();
    return Uint32Array.from(texts, count);
  },
});
