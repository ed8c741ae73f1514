import { expect, it } from "vitest";
import { rerankingOf } from "#dist/cli/parse-reranker-flags.js";

const env = { COHERE_API_KEY: "co-1", ZEROENTROPY_API_KEY: "" };

it("takes the reranker of the flag, and the keys that the environment has", () => {
  expect(rerankingOf({}, { env: {} })).toEqual({ rerankers: [], managed: {} });
  expect(rerankingOf({ reranker: "transformers" }, { env: {} })).toEqual({ rerankers: ["transformers"], managed: {} });
  const managed = { cohere: { apiKey: "co-1" } };
  expect(rerankingOf({}, { env })).toEqual({ rerankers: [], managed });
  expect(rerankingOf({ reranker: "vendor_a:rerank-v3.5" }, { env })).toEqual({
    rerankers: ["vendor_a:rerank-v3.5"],
    managed,
  });
});

it.each([
  ["zeroentropy:zerank-2", "ZEROENTROPY_API_KEY"],
  ["vendor_b", "ZEROENTROPY_API_KEY"],
])("names the variable that %s needs", (reranker, variable) => {
  const message = `--reranker ${reranker} needs a key in the environment, as ${variable}`;
  expect(() => rerankingOf({ reranker }, { env })).toThrow(message);
});
