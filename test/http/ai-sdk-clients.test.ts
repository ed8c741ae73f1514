import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newNamespace } from "../support/knowledge-base.js";
import { AI_SDKS, loadAiSdk, openChat } from "./support/ai-sdk-chat.js";
import { startServer, type TestServer } from "./support/test-server.js";

const LAMP = "# The lamp\n\nThe lamp is lit half an hour before sunset.\n\n# The horn\n\nThe horn sounds every minute.";

let server: TestServer;
let handle: NamespaceHandle;
let headers: Record<string, string>;

beforeAll(async () => {
  server = await startServer();
  handle = await newNamespace(server.kb);
  await handle.ingest({ type: "TEXT", text: LAMP, fileName: "lamp.md" }, { chunkSize: 60 }).done();
  const { key } = await server.kb.apiKeys.create({ name: "reader", scope: "read" });
  headers = { authorization: `Bearer ${key}` };
});
afterAll(() => server.close());

describe.each(Object.keys(AI_SDKS))("a client of %s", (name) => {
  it("reads an answer, asks again and regenerates", async ({ skip }) => {
    const sdk = await loadAiSdk(name);
    if (!sdk) return skip();
    const { chat, data } = openChat(sdk, { api: `${server.url}/v1/namespace/${handle.ref}/chat`, headers });
    await chat.sendMessage({ text: "When is the lamp lit?" });
    expect(chat.error).toBeUndefined();
    expect(chat.status).toBe("ready");
    const [, answer] = chat.messages;
    expect(answer).toMatchObject({ role: "assistant", metadata: { mode: "extractive", isAnswered: true } });
    expect(answer!.id).toMatch(/^msg_/);
    const types = answer!.parts.map(({ type }) => type);
    expect(types).toEqual(["data-passages", "text", "source-document", "data-citation", "data-suggestions"]);
    const text = answer!.parts.find((part) => part.type === "text")!;
    expect(text).toMatchObject({ state: "done", text: "The lamp is lit half an hour before sunset. [1]" });
    expect(answer!.parts.find((part) => part.type === "source-document")).toMatchObject({
      ...{ mediaType: "text/markdown", title: "lamp.md", filename: "lamp.md" },
      providerMetadata: { lorebase: { number: 1 } },
    });
    expect(data.map(({ type }) => type)).toContain("data-search");

    await chat.sendMessage({ text: "How often does the horn sound?" });
    expect(chat.messages).toHaveLength(4);
    const before = chat.messages[3]!;
    await chat.regenerate();
    const after = chat.messages[3]!;
    expect(chat.messages).toHaveLength(4);
    expect(after.id).not.toBe(before.id);
    expect(after.parts.find((part) => part.type === "text")!.text).toBe("The horn sounds every minute. [1]");
  });

  it("gets an error for a wrong request", async ({ skip }) => {
    const sdk = await loadAiSdk(name);
    if (!sdk) return skip();
    const api = `${server.url}/v1/namespace/${handle.ref}/chat`;
    const { chat } = openChat(sdk, { api, headers, body: { topK: 1000 } });
    await chat.sendMessage({ text: "When is the lamp lit?" });
    expect(chat.status).toBe("error");
    expect(chat.error!.message).toContain("topK");
  });
});
