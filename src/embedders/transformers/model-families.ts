/** How a text's token vectors are combined into one vector. */
export const POOLINGS = ["mean", "cls", "last_token"] as const;

export type Pooling = (typeof POOLINGS)[number];

/** How to use models that were trained alike, and what similarities to expect from them. */
export interface ModelFamily {
  readonly pooling: Pooling;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** The typical cosine similarity of unrelated texts. */
  readonly unrelatedSimilarity: number;
}

const PLAIN: ModelFamily = { pooling: "mean", queryPrefix: "", documentPrefix: "", unrelatedSimilarity: 0 };
/** According to the model cards, similarities are between 0.7 and 1, because of a training temperature of 0.01. */
const E5 = { ...PLAIN, unrelatedSimilarity: 0.7 };
/** According to the model cards, similarities are between 0.6 and 1 before version 1.5. */
const BGE = { ...PLAIN, pooling: "cls", unrelatedSimilarity: 0.6 } as const;
const BGE_CHINESE = "为这个句子生成表示以用于检索相关文章：";
const BGE_ENGLISH = "Represent this sentence for searching relevant passages: ";
const INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";

/** The first pattern that matches a model's name applies. The values come from the model cards on the hub. */
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

/** Returns the family of a model by its name or path. An unknown model gets mean pooling without prefixes. */
export function familyOf(model: string): ModelFamily {
  const name = model.toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
