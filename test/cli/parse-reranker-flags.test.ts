import { expect, it } from "vitest";
import { parseRerankerFlags } from "#dist/cli/parse-reranker-flags.js";

const env = { COHERE_API_KEY: "co-1", ZEROENTROPY_API_KEY: "" };

it("returns the reranker of the flag and the keys of the environment", () => {
  expect(parseRerankerFlags({}, { env: {} })).toEqual({ rerankers: [], managed: {} });
  expect(parseRerankerFlags({ reranker: "transformers" }, { env: {} })).toEqual({
    rerankers: ["transformers"],
    managed: {},
  });
  const managed = { cohere: { apiKey: "co-1" } };
  expect(parseRerankerFlags({}, { env })).toEqual({ rerankers: [], managed });
  expect(parseRerankerFlags({ reranker: "vendor_a:rerank-v3.5" }, { env })).toEqual({
    rerankers: ["vendor_a:rerank-v3.5"],
    managed,
  });
});

it.each([
  ["zeroentropy:zerank-2", "ZEROENTROPY_API_KEY"],
  ["vendor_b", "ZEROENTROPY_API_KEY"],
])("names the missing variable of %s", (reranker, variable) => {
  const message = `--reranker ${reranker} needs the environment variable ${variable}`;
  expect(() => parseRerankerFlags({ reranker }, { env })).toThrow(message);
});
