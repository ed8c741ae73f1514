/** How the token vectors of a text are combined into one. */
export const POOLINGS = ["mean", "cls", "last_token"] as const;

export type Pooling = (typeof POOLINGS)[number];

/** How models that were trained alike must be used, and the similarities that result. */
export interface ModelFamily {
  readonly pooling: Pooling;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** The cosine similarity that unrelated texts have. */
  readonly unrelatedSimilarity: number;
}

const PLAIN: ModelFamily = { pooling: "mean", queryPrefix: "", documentPrefix: "", unrelatedSimilarity: 0 };
/**
 * According to their model cards, similarities are between 0.7 and 1, since they were trained at a temperature of 0.01.
 */
const E5 = { ...PLAIN, unrelatedSimilarity: 0.7 };
/** Before version 1.5, according to their model cards, similarities are between 0.6 and 1. */
const BGE = { ...PLAIN, pooling: "cls", unrelatedSimilarity: 0.6 } as const;
const BGE_CHINESE = "为这个句子生成表示以用于检索相关文章：";
const BGE_ENGLISH = "Represent this sentence for searching relevant passages: ";
const INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";

/** The first pattern that matches a model's name applies. The values are those of the model cards on the hub. */
const FAMILIES: readonly (readonly [RegExp, ModelFamily])[] = [
  [/minilm/, PLAIN],
  [/\be5-mistral/, { ...PLAIN, pooling: "last_token", queryPrefix: INSTRUCTION }],
  [/\be5-.*-instruct/, { ...E5, queryPrefix: INSTRUCTION }],
  [/\be5-/, { ...E5, queryPrefix: "query: ", documentPrefix: "passage: " }],
  [/\bbge-m3/, { ...PLAIN, pooling: "cls" }],
  [/\bbge-.*-zh-v1\.5/, { ...PLAIN, pooling: "cls", queryPrefix: BGE_CHINESE }],
  [/\bbge-.*-zh/, { ...BGE, queryPrefix: BGE_CHINESE }],
  [/\bbge-.*-v1\.5/, { ...PLAIN, pooling: "cls", queryPrefix: BGE_ENGLISH }],
  [/\bbge-/, { ...BGE, queryPrefix: BGE_ENGLISH }],
  [/\bgte-qwen/, { ...PLAIN, pooling: "last_token", queryPrefix: INSTRUCTION }],
  [/\bgte-(?:.*-v1\.5|multilingual|modernbert)/, { ...PLAIN, pooling: "cls" }],
  [/\bgte-/, PLAIN],
  [/\bnomic-/, { ...PLAIN, queryPrefix: "search_query: ", documentPrefix: "search_document: " }],
];

/** The family of a model by its name or path; for an unknown one, mean pooling without prefixes. */
export function familyOf(model: string): ModelFamily {
  const name = model.toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
