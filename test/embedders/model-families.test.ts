import { expect, it } from "vitest";
import { familyOf } from "#dist/embedders/transformers/model-families.js";
import { transformersProvider } from "#dist/embedders/transformers/provider.js";

const bge = "Represent this sentence for searching relevant passages: ";

it.each([
  ["Xenova/all-MiniLM-L6-v2", "mean", "", ""],
  ["sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "mean", "", ""],
  ["Xenova/e5-small-v2", "mean", "query: ", "passage: "],
  ["Xenova/multilingual-e5-large", "mean", "query: ", "passage: "],
  ["Xenova/bge-small-en-v1.5", "cls", bge, ""],
  ["Xenova/bge-m3", "cls", "", ""],
  ["Xenova/gte-small", "mean", "", ""],
  ["Alibaba-NLP/gte-base-en-v1.5", "cls", "", ""],
  ["onnx-community/gte-multilingual-base", "cls", "", ""],
  ["nomic-ai/nomic-embed-text-v1.5", "mean", "search_query: ", "search_document: "],
  ["/models/bge-base-en", "cls", bge, ""],
  ["someone/something-else", "mean", "", ""],
])("knows how %s is used", (model, pooling, queryPrefix, documentPrefix) => {
  expect(familyOf(model)).toMatchObject({ pooling, queryPrefix, documentPrefix });
});

it.each([
  ["Xenova/all-MiniLM-L6-v2", 0],
  ["Xenova/multilingual-e5-large", 0.7],
  ["intfloat/multilingual-e5-large-instruct", 0.7],
  ["intfloat/e5-mistral-7b-instruct", 0],
  ["/models/bge-base-en", 0.6],
  ["BAAI/bge-large-zh", 0.6],
  ["BAAI/bge-large-zh-v1.5", 0],
  ["Xenova/bge-small-en-v1.5", 0],
])("knows how similar unrelated texts are to %s", (model, unrelatedSimilarity) => {
  expect(familyOf(model)).toMatchObject({ unrelatedSimilarity });
});

it("completes its configuration", () => {
  expect(transformersProvider.config.parse({ provider: "MANAGED_TRANSFORMERS" })).toEqual({
    provider: "MANAGED_TRANSFORMERS",
    model: "Xenova/all-MiniLM-L6-v2",
    dtype: "q8",
  });
});

it.each([
  { model: "../../etc/passwd\0" },
  { model: "a/b/c" },
  { model: "" },
  { dtype: "q9" },
  { pooling: "sum" },
  { size: 1 },
])("refuses %o", (more) => {
  const given = { provider: "MANAGED_TRANSFORMERS", ...more };
  expect(transformersProvider.config.safeParse(given).success).toBe(false);
});
