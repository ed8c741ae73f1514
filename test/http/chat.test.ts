import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newNamespace } from "../support/knowledge-base.js";
import { expectFailure } from "./support/envelope.js";
import { authorized, send } from "./support/send.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { readEvents, userMessage } from "./support/ui-message-stream.js";

const GUIDE = `# Lighthouse guide

## Lamp

The lamp is lit half an hour before sunset. It burns paraffin.

## Fog horn

The fog horn sounds every ninety seconds in fog. It needs compressed air.

## Visitors

Visitors may climb the tower on Sundays. Tickets cost four crowns.
`;

let server: TestServer;
let handle: NamespaceHandle;
let key: string;

beforeAll(async () => {
  server = await startServer();
  handle = await newNamespace(server.kb);
  const config = { chunkSize: 100, metadata: { secret: "s1" } };
  await handle.ingest({ type: "TEXT", text: GUIDE, fileName: "guide.md" }, config).done({ throwOnFailure: true });
  ({ key } = await server.kb.apiKeys.create({ name: "reader", scope: "read" }));
});
afterAll(() => server.close());

function chat(body: unknown, headers: Record<string, string> = {}) {
  const path = `/v1/namespace/${handle.ref}/chat`;
  return send(server.url, {
    ...{ method: "POST", path, body: JSON.stringify(body) },
    headers: { ...authorized(key), ...headers },
  });
}

describe("POST /v1/namespace/{id}/chat", () => {
  it("streams a cited answer in the order of the wire", async () => {
    const { status, headers, text } = await chat({ id: "c1", messages: [userMessage("When is the lamp lit?")] });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/event-stream");
    expect(headers["x-vercel-ai-ui-message-stream"]).toBe("v1");
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const chunks = readEvents(text);
    const order = chunks.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(order.slice(0, 7)).toEqual([
      ...["start", "data-search", "data-passages", "text-start", "text-delta", "source-document", "text-delta"],
    ]);
    expect(order.slice(-3)).toEqual(expect.arrayContaining(["text-end", "finish"]));
    expect(chunks[0]).toMatchObject({ messageMetadata: { mode: "extractive" } });
    expect(chunks.at(-1)).toMatchObject({
      type: "finish",
      messageMetadata: { mode: "extractive", isAnswered: true },
    });

    const answer = chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : [])).join("");
    const citation = chunks.find((chunk) => chunk.type === "data-citation")!.data;
    expect(citation.quote).toBe("The lamp is lit half an hour before sunset.");
    expect(answer.slice(citation.answerRange.start, citation.answerRange.end)).toBe(citation.quote);
    expect(answer.slice(citation.markerRange.start, citation.markerRange.end)).toBe("[1]");
    const { text: document } = await handle.documents.text(citation.documentId);
    expect(document.slice(citation.range.start, citation.range.end)).toBe(citation.quote);
    const { passages } = chunks.find((chunk) => chunk.type === "data-passages")!.data;
    const passage = passages.find(({ chunkId }) => chunkId === citation.chunkId)!;
    expect(passage).toMatchObject({ title: "guide.md", headings: ["Lighthouse guide", "Lamp"] });
    expect(passage.metadata).toMatchObject({ secret: "s1" });
    expect(chunks.find((chunk) => chunk.type === "source-document")).toMatchObject({
      ...{ sourceId: citation.chunkId, mediaType: "text/markdown", title: "guide.md", filename: "guide.md" },
      providerMetadata: { lorebase: { documentId: citation.documentId, number: 1 } },
    });
    const suggestions = chunks.find((chunk) => chunk.type === "data-suggestions")!.data.questions;
    expect(suggestions).toEqual(expect.arrayContaining(["What about Fog horn?", "What about Visitors?"]));
  });

  it("answers the last message of the user, also when its answer is regenerated", async () => {
    const messages = [
      userMessage("When is the lamp lit?"),
      { id: "a1", role: "assistant", parts: [{ type: "text", text: "Half an hour before sunset [1]." }] },
      userMessage("How often does the fog horn sound?"),
      { id: "a2", role: "assistant", parts: [{ type: "text", text: "I don't know." }] },
    ];
    const { text } = await chat({ id: "c1", messages, trigger: "regenerate-message", messageId: "a2" });
    const search = readEvents(text).find((chunk) => chunk.type === "data-search");
    expect(search).toEqual({
      ...{ type: "data-search", transient: true },
      data: { query: "How often does the fog horn sound?" },
    });
  });

  it("limits passages by topK and filter", async () => {
    const messages = [userMessage("When is the lamp lit?")];
    const passagesOf = async (options: object) => {
      const { text } = await chat({ messages, ...options });
      return readEvents(text).find((chunk) => chunk.type === "data-passages")!.data.passages;
    };
    expect(await passagesOf({ topK: 1 })).toHaveLength(1);
    expect(await passagesOf({ filter: { secret: "s2" } })).toEqual([]);
    expect(await passagesOf({ mode: "extractive" })).not.toEqual([]);
  });

  it("sees one tenant only", async () => {
    await handle.tenant("T1").ingest({ type: "TEXT", text: "The lamp of T1 is lit at nine." }).done();
    const messages = [userMessage("When is the lamp of T1 lit?")];
    expect((await chat({ messages })).text).not.toContain("at nine");
    expect((await chat({ messages }, { "x-tenant-id": "T2" })).text).not.toContain("at nine");
    expect((await chat({ messages }, { "x-tenant-id": "T1" })).text).toContain("at nine");
  });

  it.each([
    ["no messages", { messages: [] }, "messages"],
    ["more than 100 messages", { messages: Array(101).fill(userMessage("Hello")) }, "messages"],
    ["no message of a user", { messages: [{ ...userMessage("Hello"), role: "assistant" }] }, "role user"],
    ["a message without text", { messages: [{ role: "user", parts: [{ type: "file", url: "x" }] }] }, "with text"],
    ["a question of more than 8000 characters", { messages: [userMessage("a".repeat(8001))] }, "8000"],
    ["an unknown mode", { messages: [userMessage("Hello")], mode: "magic" }, "mode"],
    ["a mode that needs a language model", { messages: [userMessage("Hello")], mode: "agentic" }, "language model"],
    ["a topK out of range", { messages: [userMessage("Hello")], topK: 0 }, "topK"],
    ["an invalid filter", { messages: [userMessage("Hello")], filter: { year: { $near: 1 } } }, "$near"],
  ])("refuses %s before the stream starts", async (_, body, named) => {
    const received = await chat(body);
    expectFailure(received, 422);
    expect(received.text).toContain(named);
  });

  it("needs a key and an existing namespace", async () => {
    const body = JSON.stringify({ messages: [userMessage("When?")] });
    const path = `/v1/namespace/${handle.ref}/chat`;
    const headers = { "content-type": "application/json" };
    expectFailure(await send(server.url, { method: "POST", path, body, headers }), 401);
    const absent = { method: "POST", path: "/v1/namespace/absent/chat", body, headers: authorized(key) };
    expectFailure(await send(server.url, absent), 404);
  });
});
