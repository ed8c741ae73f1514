/** How the vectors of a text's tokens become one. */
export const POOLINGS = ["mean", "cls", "last_token"] as const;

export type Pooling = (typeof POOLINGS)[number];

/** What a model was trained with, and must be used with. */
export interface EmbeddingRecipe {
  readonly pooling: Pooling;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
}

const PLAIN: EmbeddingRecipe = { pooling: "mean", queryPrefix: "", documentPrefix: "" };
const INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";

/** The first pattern that the model's name matches decides. Each recipe is that of the family's model cards on the hub. */
const FAMILIES: readonly (readonly [RegExp, EmbeddingRecipe])[] = [
  [/minilm/, PLAIN],
  [/\be5-mistral/, { ...PLAIN, pooling: "last_token", queryPrefix: INSTRUCTION }],
  [/\be5-.*-instruct/, { ...PLAIN, queryPrefix: INSTRUCTION }],
  [/\be5-/, { pooling: "mean", queryPrefix: "query: ", documentPrefix: "passage: " }],
  [/\bbge-m3/, { ...PLAIN, pooling: "cls" }],
  [/\bbge-.*-zh/, { ...PLAIN, pooling: "cls", queryPrefix: "为这个句子生成表示以用于检索相关文章：" }],
  [/\bbge-/, { ...PLAIN, pooling: "cls", queryPrefix: "Represent this sentence for searching relevant passages: " }],
  [/\bgte-qwen/, { ...PLAIN, pooling: "last_token", queryPrefix: INSTRUCTION }],
  [/\bgte-(?:.*-v1\.5|multilingual|modernbert)/, { ...PLAIN, pooling: "cls" }],
  [/\bgte-/, PLAIN],
  [/\bnomic-/, { pooling: "mean", queryPrefix: "search_query: ", documentPrefix: "search_document: " }],
];

/** The recipe of a model by its name or path; mean pooling without prefixes for a family that is not known. */
export function recipeOf(model: string): EmbeddingRecipe {
  const name = model.toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
