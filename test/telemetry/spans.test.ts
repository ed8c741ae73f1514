import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { KnowledgeBase } from "lorebase";
import { createHandler, toNodeHandler } from "lorebase/http";
import { fakeEmbedder, fakeLanguageModel } from "lorebase/testing";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openAiProvider } from "#dist/embedders/openai/provider.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { recordSpans } from "../support/recorded-spans.js";
import { EMBEDDING_VENDORS, KEY, providerAt } from "../support/vendors/hosted-embedders.js";

const TEXT = "The lighthouse keeper polishes Fresnel lenses.";
const TENANT = "WilhelminaVermeer";

const spans = recordSpans();
const model = fakeLanguageModel({ answer: "The keeper does [1].", usage: { inputTokens: 40, outputTokens: 5 } });
const kb = openKnowledgeBase({ languageModel: model });
afterAll(async () => {
  await kb.close();
  await spans.stop();
});
beforeEach(() => spans.clear());

async function ingested() {
  const handle = await newNamespace(kb);
  await handle.ingest({ type: "TEXT", text: TEXT }).done();
  return handle;
}

describe("an ingest", () => {
  it("is a trace of its task, with a span for each document and its stages", async () => {
    const handle = await newNamespace(kb);
    const job = await trace.getTracer("host").startActiveSpan("the host's", async (span) =>
      handle
        .ingest({ type: "TEXT", text: TEXT })
        .done()
        .finally(() => span.end()),
    );
    await kb.drain();
    const task = spans.one("lorebase.task.ingest");
    expect(task.parentSpanContext).toBeUndefined();
    expect(task.attributes).toEqual({ "lorebase.task.attempt": 1, "lorebase.job.id": job.id });
    const document = spans.one("lorebase.ingest.document");
    expect(document.parentSpanContext?.spanId).toBe(task.spanContext().spanId);
    expect(spans.childrenOf(document)).toEqual([
      "lorebase.ingest.embed",
      "lorebase.ingest.prepare",
      "lorebase.ingest.write",
    ]);
    const prepare = spans.one("lorebase.ingest.prepare");
    expect(spans.childrenOf(prepare)).toEqual(["lorebase.ingest.chunk", "lorebase.ingest.parse"]);
    expect(spans.one("lorebase.ingest.write").attributes).toEqual({ "lorebase.chunks": 1, "lorebase.publishes": true });
  });

  it("publishes a document of several batches in a span of its own, and fetches a file in another", async () => {
    const body = Array.from({ length: 70 }, (_, index) => `${index} ${TEXT}`).join("\u001e");
    const { url } = await listen((_request, response) => response.setHeader("content-type", "text/plain").end(body));
    const fetching = openKnowledgeBase({ network: { allowPrivateHosts: ["127.0.0.1"] } });
    onTestFinished(() => fetching.close());
    const handle = await newNamespace(fetching);
    const config = { delimiter: "\u001e", chunkSize: 64 };
    await handle.ingest({ type: "FILE", fileUrl: `${url}/keeper.txt` }, config).done();
    await fetching.drain();
    const stages = spans.childrenOf(spans.one("lorebase.ingest.document"));
    expect([...new Set(stages)]).toEqual(
      ["embed", "fetch", "prepare", "publish", "write"].map((stage) => `lorebase.ingest.${stage}`),
    );
  });
});

describe("a search", () => {
  it.each([
    ["keyword", ["keyword"]],
    // Of few passages, the vectors are compared without an index.
    ["semantic", ["embed_query", "read_passages", "vector"]],
    ["hybrid", ["embed_query", "fuse", "keyword", "read_passages", "vector"]],
  ] as const)("in the mode %s has a span for each stage", async (mode, stages) => {
    const handle = await ingested();
    spans.clear();
    await handle.search("keeper", { mode, topK: 3 });
    const search = spans.one("lorebase.search");
    expect(search.attributes).toMatchObject({
      "lorebase.search.mode": mode,
      "lorebase.search.top_k": 3,
      "lorebase.search.hits": 1,
    });
    expect(spans.childrenOf(search)).toEqual(stages.map((stage) => `lorebase.search.${stage}`));
  });

  it("that fails has the code of the error alone", async () => {
    const failing = fakeEmbedder({ script: [new Error(`cannot embed ${TEXT}`)] });
    const other = openKnowledgeBase({ embedders: [providerOf(failing)] });
    onTestFinished(() => other.close());
    const handle = await newNamespace(other, { embeddingConfig: { provider: "FAKE" } });
    await expect(handle.search("keeper", { mode: "semantic" })).rejects.toThrow();
    const { status, attributes, events } = spans.one("lorebase.search");
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
    expect(attributes["error.type"]).toEqual("Error");
    expect(events).toEqual([]);
  });
});

describe("a call of a provider", () => {
  it("has the attributes of the conventions for generative AI, below the stage that called", async () => {
    const vendor = EMBEDDING_VENDORS.find(({ provider }) => provider === openAiProvider)!;
    const server = await vendor.serve(KEY);
    const hosted = openKnowledgeBase({ embedders: [providerAt(vendor, server)] });
    onTestFinished(() => hosted.close());
    const handle = await newNamespace(hosted, { embeddingConfig: { provider: vendor.name, ...vendor.config } });
    spans.clear();
    await handle.search("keeper", { mode: "semantic" });
    const call = spans.all().find(({ kind }) => kind === SpanKind.CLIENT)!;
    const { model: requested } = vendor.config as { model: string };
    expect(call.name).toBe(`embeddings ${requested}`);
    expect(call.attributes).toMatchObject({
      "gen_ai.operation.name": "embeddings",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": requested,
      "gen_ai.usage.input_tokens": expect.any(Number),
      "lorebase.call.attempts": 1,
    });
    expect(spans.childrenOf(spans.one("lorebase.search.embed_query"))).toEqual([call.name]);
    expect(JSON.stringify(contentOf(spans.all()))).not.toContain(KEY);
  });

  it("of a language model ends with the stream of its answer", async () => {
    const handle = await ingested();
    spans.clear();
    await trace.getTracer("host").startActiveSpan("question", async (span) => {
      await handle.ask("Who polishes?");
      span.end();
    });
    const call = spans.one("chat fake-1");
    expect(call.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "fake",
      "gen_ai.usage.input_tokens": 40,
      "gen_ai.usage.output_tokens": 5,
    });
    expect(call.spanContext().traceId).toBe(spans.one("question").spanContext().traceId);
  });
});

describe("a request", () => {
  it("continues the trace of its headers, and tells neither texts nor queries nor keys nor tenants", async () => {
    const { key } = await kb.apiKeys.create({ name: "spans", scope: "admin" });
    const { url } = await listen(toNodeHandler(createHandler(kb)));
    const { id } = await kb.namespaces.create({ name: "Traced", slug: "traced" });
    await kb.namespace("traced").tenant(TENANT).ingest({ type: "TEXT", text: TEXT }).done();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const response = await fetch(`${url}/v1/namespace/traced/search`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
        "content-type": "application/json",
        "x-tenant-id": TENANT,
      },
      body: JSON.stringify({ query: "Fresnel", mode: "hybrid" }),
    });
    expect(response.status).toBe(200);
    const name = "POST /v1/namespace/:namespaceId/search";
    await expect.poll(() => spans.all().some((span) => span.name === name)).toBe(true);
    const request = spans.one(name);
    expect(request.kind).toBe(SpanKind.SERVER);
    expect(request.parentSpanContext).toMatchObject({ traceId, spanId: "00f067aa0ba902b7", isRemote: true });
    expect(request.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/namespace/:namespaceId/search",
      "http.response.status_code": 200,
      "lorebase.request.id": response.headers.get("x-request-id"),
    });
    const search = spans.one("lorebase.search");
    expect(search.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(search.attributes["lorebase.namespace.id"]).toBe(id);
    const told = JSON.stringify(contentOf(spans.all()));
    for (const secret of ["Fresnel", "keeper", TENANT, key]) expect(told).not.toContain(secret);
  });

  it("is a child of the span that the host's server has", async () => {
    const handler = createHandler(kb);
    const host = trace.getTracer("host").startSpan("host");
    await context.with(trace.setSpan(context.active(), host), () => handler(new Request("http://localhost/healthz")));
    host.end();
    const request = spans.one("GET /healthz");
    expect(request.kind).toBe(SpanKind.INTERNAL);
    expect(spans.childrenOf(spans.one("host"))).toEqual(["GET /healthz"]);
  });

  it("that the server can't answer has its status as the error", async () => {
    const closed = new KnowledgeBase({ directory: ":memory:" });
    await closed.close();
    const handler = createHandler(closed, { authenticate: () => ({ organizationId: "org_1" }), onError: () => {} });
    const response = await handler(new Request("http://localhost/v1/namespace"));
    expect(response.status).toBe(500);
    const { status, attributes } = spans.one("GET /v1/namespace");
    expect([status.code, attributes["error.type"]]).toEqual([SpanStatusCode.ERROR, "500"]);
  });
});

/** What a span tells: everything but its place in time and trace. */
function contentOf(recorded: readonly ReadableSpan[]): readonly object[] {
  return recorded.map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links }));
}

async function listen(listener: Parameters<typeof createServer>[1]): Promise<{ readonly url: string }> {
  const server = createServer(listener!);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
