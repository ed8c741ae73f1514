import { expect, it, onTestFinished } from "vitest";
import { failureOf, LEXICAL, openKnowledgeBase } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";

const apiKey = "sk-canary-0123456789";
const OPENAI = { provider: "OPENAI", apiKey };

it.each([
  ["embeddingConfig.baseUrl", { embeddingConfig: OPENAI }],
  ["embeddingConfig.baseUrl", { embeddingConfig: { ...OPENAI, model: "of-unknown-dimensions" } }],
  ["embeddingConfig.baseUrl", { embeddingConfig: { provider: "VOYAGE", model: "voyage-3", apiKey } }],
  ["embeddingConfig.baseUrl", { embeddingConfig: { provider: "GOOGLE", model: "gemini-embedding-001", apiKey } }],
  ["vectorStoreConfig.indexHost", { embeddingConfig: LEXICAL, vectorStoreConfig: { provider: "PINECONE", apiKey } }],
])("a private %s is refused when a namespace is created: %j", async (field, configs) => {
  const canary = await listener();
  const kb = openKnowledgeBase();
  onTestFinished(() => kb.close());
  const [config, name] = field.split(".") as [keyof typeof configs, string];
  for (const host of ["127.0.0.1", "2130706433", "[::ffff:7f00:1]", "localhost", "x.internal"]) {
    const input = { ...configs, [config]: { ...configs[config], [name]: `http://${host}:${canary.port}` } };
    const error = await failureOf(() => kb.namespaces.create({ name: "N", slug: "nn", ...input }));
    expect([error.code, error.issues.map((issue) => issue.field)], host).toEqual(["invalid_input", [field]]);
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain("canary");
  }
  expect(canary.hits).toBe(0);
});

it("a host's own private addresses are allowed by name as well", async () => {
  const canary = await listener();
  const kb = openKnowledgeBase({ managed: { openai: { apiKey, baseUrl: `http://127.0.0.1:${canary.port}` } } });
  onTestFinished(() => kb.close());
  const input = { name: "N", slug: "nn", embeddingConfig: { provider: "MANAGED_OPENAI" } };
  const error = await failureOf(() => kb.namespaces.create(input));
  expect(error.issues.map((issue) => issue.field)).toEqual(["managed.openai.baseUrl"]);
  expect(canary.hits).toBe(0);
});
