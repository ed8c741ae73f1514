// What the entries besides the main one give.
import type { IncomingMessage, ServerResponse } from "node:http";
import { generateText, type ToolSet } from "ai";
import { generateText as generateText5 } from "ai5";
import { generateText as generateText7 } from "ai7";
import { type Block, type Embedder, formatCitation, type KnowledgeBase, type SearchHit } from "lorebase";
import { tools } from "lorebase/ai-sdk";
import { type CrawledPage, crawl } from "lorebase/crawl";
import { type ConfidenceInterval, type EvaluationReport, evaluate } from "lorebase/evaluate";
import { type Caller, createHandler, type Handler, type RunningServer, serve, toNodeHandler } from "lorebase/http";
import { type DocumentText, documentText, type ParsedFile, parseFile, toMarkdown } from "lorebase/parse";
import { type ContractCase, embedderContract, fakeEmbedder, manualClock, memoryVectorStore } from "lorebase/testing";
import { verifyWebhook } from "lorebase/webhooks";
import { expectTypeOf, test } from "vitest";

const kb = {} as KnowledgeBase;

test("lorebase", () => {
  expectTypeOf(formatCitation).returns.toBeString();
  expectTypeOf<SearchHit<{ readonly year: number }>>().toExtend<Parameters<typeof formatCitation>[0]>();
});

test("lorebase/crawl", async () => {
  const pages = crawl({ url: "https://example.com", maxDepth: 2, signal: new AbortController().signal });
  expectTypeOf(pages).toEqualTypeOf<AsyncIterable<CrawledPage>>();
  for await (const page of pages) {
    if (page.kind === "failed") expectTypeOf(page.message).toBeString();
    else expectTypeOf(page.bytes).toEqualTypeOf<Uint8Array>();
  }
  // @ts-expect-error a crawl needs a URL
  crawl({ maxDepth: 2 });
});

test("lorebase/evaluate", () => {
  const questions = [{ question: "When is the lamp lit?", answers: [{ document: "lamp.txt", contains: "sunset" }] }];
  const settings = [{ name: "words", mode: "keyword" }] as const;
  expectTypeOf(evaluate(kb.namespace("handbook"), questions, { settings })).resolves.toEqualTypeOf<EvaluationReport>();
  void evaluate(kb.namespace<{ readonly year: number }>("notices"), []);
  expectTypeOf<ConfidenceInterval["mean"]>().toBeNumber();
  // @ts-expect-error a question needs its answers
  void evaluate(kb.namespace("handbook"), [{ question: "When is the lamp lit?" }]);
});

test("lorebase/webhooks", () => {
  const event = verifyWebhook(new Headers(), "{}", "whsec_");
  if (event.type === "document.completed") expectTypeOf(event.data.ingestJobId).toBeString();
  if (event.type === "ingest_job.failed") expectTypeOf(event.data.externalId).toEqualTypeOf<string | null>();
  verifyWebhook({} as IncomingMessage["headers"], new Uint8Array(), ["whsec_1", "whsec_2"]);
  // @ts-expect-error a request that was parsed can't be verified
  verifyWebhook(new Headers(), {}, "whsec_");
});

test("lorebase/http", () => {
  expectTypeOf(createHandler(kb)).toEqualTypeOf<Handler>();
  expectTypeOf<Handler>().toEqualTypeOf<(request: Request) => Promise<Response>>();
  expectTypeOf(toNodeHandler(createHandler(kb))).parameters.toEqualTypeOf<[IncomingMessage, ServerResponse]>();
  expectTypeOf(serve(kb, { port: 0 })).resolves.toEqualTypeOf<RunningServer>();
  createHandler(kb, { authenticate: (): Caller => ({ organizationId: "org_1", scope: "read" }) });
  createHandler(kb, {
    authenticate: async ({ headers }) => (headers.has("x-user") ? { organizationId: "org_1" } : null),
  });
  // @ts-expect-error no such scope
  createHandler(kb, { authenticate: () => ({ organizationId: "org_1", scope: "owner" }) });
});

test("lorebase/parse", () => {
  expectTypeOf(parseFile("a.pdf", { config: { forceOcr: true } })).resolves.toEqualTypeOf<ParsedFile>();
  expectTypeOf<ParsedFile["blocks"]>().toEqualTypeOf<readonly Block[]>();
  expectTypeOf(toMarkdown).parameter(0).toEqualTypeOf<readonly Block[]>();
  expectTypeOf(documentText).returns.toEqualTypeOf<DocumentText>();
  // @ts-expect-error a switch of chunking, not of parsing
  void parseFile("a.pdf", { config: { chunkSize: 400 } });
});

test("lorebase/testing", () => {
  expectTypeOf(fakeEmbedder()).toExtend<Embedder>();
  expectTypeOf(embedderContract(async () => fakeEmbedder())).toEqualTypeOf<ContractCase[]>();
  expectTypeOf(memoryVectorStore().provider).toBeString();
  expectTypeOf(manualClock).toBeCallableWith(0);
});

test("lorebase/ai-sdk", async () => {
  const set: ToolSet = tools(kb.namespace<{ readonly year: number }>("notices"));
  const { toolResults } = await generateText({ model: "any", tools: tools(kb.namespace("handbook")), prompt: "When?" });
  for (const result of toolResults)
    if (!result.dynamic && result.toolName === "ask") expectTypeOf(result.output.isAnswered).toBeBoolean();
  void generateText5({ model: "any", tools: tools(kb.namespace("handbook")), prompt: "When?" });
  void generateText7({ model: "any", tools: tools(kb.namespace("handbook")), prompt: "When?" });
  void set;
});
