import { expect, it } from "vitest";
import { runScript } from "../support/run-script.js";

/** Searches in a process in which a package cannot be found, as where it isn't installed, and prints what the search fails with. */
const SEARCH = `
import { register } from "node:module";
const hooks = \`export async function resolve(name, context, next) {
  if (name !== \${JSON.stringify(argv[0])}) return next(name, context);
  const message = "Cannot find package '" + name + "' imported from " + context.parentURL;
  throw Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
}\`;
register("data:text/javascript," + encodeURIComponent(hooks));
const { KnowledgeBase } = await import(dist + "index.js");
const managed = { cohere: { apiKey: "key" }, zeroentropy: { apiKey: "key" } };
const kb = new KnowledgeBase({ directory: ":memory:", defaultEmbedding: { provider: "MANAGED_LEXICAL" }, managed });
await kb.namespaces.create({ name: "Words", slug: "words" });
const run = await kb.namespace("words").ingest({ type: "TEXT", text: "a lamp" });
await run.done();
await kb.search("words", "lamp", { rerankModel: argv[1] }).catch(({ code, retryable, message }) => {
  console.log(JSON.stringify({ code, retryable, message }));
});
await kb.close();
`;

it.each([
  ["@ai-sdk/cohere", "cohere:rerank-v3.5", "@ai-sdk/cohere@3"],
  ["zeroentropy-ai-provider", "vendor_b:zerank-2", "zeroentropy-ai-provider@1"],
])("says in one line how to install %s", async (name, rerankModel, specifier) => {
  const { stdout, stderr } = await runScript(SEARCH, [name, rerankModel]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    code: "not_ready",
    retryable: false,
    message: `The package ${name} is not installed. Install it with: npm install ${specifier}`,
  });
});
