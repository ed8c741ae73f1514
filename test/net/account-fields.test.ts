import { KnowledgeBase, openAICompatible } from "lorebase";
import { expect, it } from "vitest";
import { failureOf } from "../support/knowledge-base.js";

const PASSWORD = "canary-5d1f0c";
const accounts = [
  { openai: { apiKey: "k", baseUrl: `https://me:${PASSWORD}@proxy.test/v1` } },
  { cohere: { apiKey: "k", baseUrl: `https://proxy.test/v1?key=${PASSWORD}` } },
  { cohere: { apiKey: `a\n${PASSWORD}` } },
  { pinecone: { apiKey: `a ${PASSWORD}`, indexHost: "index.test" } },
  { turbopuffer: { apiKey: `é${PASSWORD}`, region: "aws-us-east-1" } },
];

it.each(accounts)("refuses what would show a secret or is no key: %j", async (managed) => {
  const { code, message } = await failureOf(() => new KnowledgeBase({ directory: ":memory:", managed }));
  expect(code).toBe("invalid_input");
  expect(message).toMatch(/^managed\.\w+\.(baseUrl: must not contain credentials|apiKey: must be an API key)/);
  expect(message).not.toContain(PASSWORD);
});

it("refuses a name and password in the address of a language model, which events and errors show", async () => {
  const baseUrl = `http://me:${PASSWORD}@localhost:1234/v1`;
  const { message } = await failureOf(() => openAICompatible({ baseUrl, model: "m" }));
  expect(message).toMatch(/^openAICompatible: baseUrl: must not contain credentials/);
  expect(message).not.toContain(PASSWORD);
});
