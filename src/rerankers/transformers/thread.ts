import { workerData } from "node:worker_threads";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { SESSION_OPTIONS, type TransformersLibrary } from "../../local-models/load-model.js";
import { serveModel } from "../../local-models/serve-model.js";
import { tokenLimitOf } from "../../local-models/token-limit.js";
import { countSpecialTokens, type EncodedPair, fitPair } from "./fit-pair.js";
import type { RerankerDescription, RerankerOperations, RerankerSetup } from "./operations.js";

/** Eight-bit weights: a quarter of the size and several times the speed on a CPU. */
const DTYPE = "q8";

const { source } = workerData as RerankerSetup;

serveModel(source, openModel, (getModel) => {
  const operations: Omit<RerankerOperations, "load"> = {
    async score({ query, passage }) {
      const { logitsOf } = await getModel();
      try {
        const [logit] = await logitsOf(query, passage);
        return 1 / (1 + Math.exp(-logit!));
      } catch (error) {
        const subject = `a passage of ${passage.length} characters`;
        const message = `The model "${source.model}" failed to score ${subject}: ${getErrorMessage(error)}`;
        throw new KnowledgeBaseError("provider_failed", message, { cause: error });
      }
    },
  };
  return operations;
});

async function openModel(
  { AutoModelForSequenceClassification, AutoTokenizer, Tensor }: TransformersLibrary,
  nameOrPath: string,
) {
  const [tokenizer, model] = await Promise.all([
    AutoTokenizer.from_pretrained(nameOrPath),
    AutoModelForSequenceClassification.from_pretrained(nameOrPath, {
      dtype: DTYPE,
      device: "cpu",
      session_options: SESSION_OPTIONS,
    }),
  ]);
  const { max_position_embeddings } = model.config as unknown as { [field: string]: unknown };
  const maxPairTokens = tokenLimitOf([tokenizer.model_max_length, max_position_embeddings]);
  const encodeText = (text: string) => tokenizer.encode(text, { add_special_tokens: false });
  // An empty second text makes no pair; a space makes a pair and has no tokens.
  const encode = (query: string, passage: string) =>
    tokenizer(query, { text_pair: passage || " ", return_tensor: false }) as unknown as EncodedPair;
  const specialTokens = countSpecialTokens(encode("a", "b").input_ids!, encodeText("a"), encodeText("b"));

  async function logitsOf(query: string, passage: string): Promise<Float32Array> {
    const pair = fitPair(encode(query, passage), encodeText(query).length, specialTokens, maxPairTokens);
    const inputs = Object.entries(pair).map(([key, entries]) => {
      return [key, new Tensor("int64", BigInt64Array.from(entries, BigInt), [1, entries.length])];
    });
    const { logits } = await model(Object.fromEntries(inputs));
    return logits.data;
  }

  // This first run also allocates the session's memory, so that no caller waits for that.
  const outputCount = (await logitsOf("a", "b")).length;
  if (outputCount !== 1) {
    const message = `It returns ${outputCount} outputs for a pair of texts; a reranking model returns one.`;
    throw new KnowledgeBaseError("provider_failed", message);
  }
  const description: RerankerDescription = { maxPairTokens };
  return { description, logitsOf };
}
