import { tools } from "lorebase/ai-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AI_SDKS } from "../http/support/ai-sdk-chat.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase({ defaultEmbedding: { provider: "MANAGED_STATIC" } });
afterAll(() => kb.close());

let handbook: Awaited<ReturnType<typeof newNamespace>>;
beforeAll(async () => {
  handbook = await newNamespace(kb);
  await ingestTexts(handbook, ["The lamp is lit thirty minutes before sunset. It burns until sunrise."]);
  await ingestTexts(handbook.tenant("acme"), ["Acme's boat leaves at 10:15."]);
});

interface ToolResult {
  readonly toolName: string;
  readonly output: Readonly<Record<string, unknown>>;
}

interface AiSdk {
  generateText(request: object): Promise<{
    readonly text: string;
    readonly steps: readonly { readonly toolResults: readonly ToolResult[]; readonly content: readonly unknown[] }[];
  }>;
  stepCountIs?(count: number): unknown;
  isStepCount?(count: number): unknown;
}

/** Calls each tool once and then answers. Specification v2, which all versions take. */
function scriptedModel(calls: readonly (readonly [name: string, input: unknown])[]) {
  const asked: { readonly tools: readonly { name: string; inputSchema: { required?: string[] } }[] }[] = [];
  return {
    asked,
    specificationVersion: "v2",
    provider: "fake",
    modelId: "fake-1",
    supportedUrls: {},
    async doGenerate(options: (typeof asked)[number]) {
      const call = calls[asked.length];
      asked.push(options);
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      if (!call) return { content: [{ type: "text", text: "Done." }], finishReason: "stop", usage, warnings: [] };
      const [toolName, input] = call;
      const content = [
        { type: "tool-call", toolCallId: `call-${asked.length}`, toolName, input: JSON.stringify(input) },
      ];
      return { content, finishReason: "tool-calls", usage, warnings: [] };
    },
  };
}

describe.each(Object.keys(AI_SDKS))("%s", (name) => {
  it("calls the tools, checks their inputs and tells the model their errors", async ({ skip }) => {
    let sdk: AiSdk;
    try {
      sdk = (await AI_SDKS[name]!()) as AiSdk;
    } catch (error) {
      return skip(`${name} can't be loaded on Node ${process.version}: ${error}`);
    }
    const [{ id: documentId } = { id: "" }] = (await handbook.documents.list()).items.filter((item) => !item.tenantId);
    const model = scriptedModel([
      ["search", { query: "lamp" }],
      ["ask", { question: "When is the lamp lit?" }],
      ["readDocument", { documentId, start: 4, length: 4 }],
      ["listDocuments", {}],
      ["search", { query: "lamp", tenantId: "acme" }],
      ["readDocument", { documentId: "doc_0" }],
    ]);
    const { text, steps } = await sdk.generateText({
      model,
      tools: tools(handbook),
      prompt: "When is the lamp lit?",
      stopWhen: (sdk.stepCountIs ?? sdk.isStepCount)!(10),
    });
    expect(text).toBe("Done.");
    expect(model.asked[0]!.tools.map((tool) => [tool.name, tool.inputSchema.required ?? []])).toEqual([
      ["search", ["query"]],
      ["ask", ["question"]],
      ["readDocument", ["documentId"]],
      ["listDocuments", []],
    ]);
    const results = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
    expect(results).toEqual([
      { passages: [expect.objectContaining({ documentId, text: expect.stringContaining("sunset") })] },
      expect.objectContaining({
        isAnswered: true,
        text: expect.stringMatching(/^The lamp is lit thirty minutes before sunset\. \[1\]/),
      }),
      expect.objectContaining({ text: "lamp", start: 4, end: 8 }),
      { documents: [expect.objectContaining({ documentId })], nextCursor: null },
    ]);
    const [refused, absent] = steps.slice(4).map(({ content }) => JSON.stringify(content));
    expect(refused).toMatch(/tool-error.*tenantId/);
    expect(absent).toMatch(/tool-error/);
  });
});

it("is bound to the handle's tenant, and without one to the default partition", async () => {
  const call = {};
  const [own, acme] = [tools(handbook), tools(handbook.tenant("acme"))];
  const idsOf = async (set: typeof own) =>
    (await set.listDocuments.execute({ limit: 50 }, call)).documents.map(({ documentId }) => documentId);
  const [[ownId = ""], [acmeId = ""]] = [await idsOf(own), await idsOf(acme)];
  expect(acmeId).not.toBe(ownId);
  expect(await idsOf(own)).toEqual([ownId]);
  expect(await idsOf(acme)).toEqual([acmeId]);
  const read = (set: typeof own, documentId: string) =>
    set.readDocument.execute({ documentId, start: 0, length: 9 }, call);
  expect((await read(acme, acmeId)).text).toBe("Acme's bo");
  for (const [set, id] of [
    [own, acmeId],
    [acme, ownId],
  ] as const) {
    const foreign = await failureOf(() => read(set, id));
    const absent = await failureOf(() => read(set, "doc_0"));
    expect([foreign.code, foreign.message.replace(id, "doc_0")]).toEqual([absent.code, absent.message]);
  }
  expect((await own.search.execute({ query: "boat leaves 10:15", limit: 5 }, call)).passages).toMatchObject([
    { documentId: ownId },
  ]);
});

it("lists full pages, whatever other tenants have between them", async () => {
  const namespace = await newNamespace(kb);
  for (const text of ["One.", "Two.", "Three."]) {
    await ingestTexts(namespace, [text]);
    await ingestTexts(namespace.tenant("acme"), ["Acme's.", "Acme's other."]);
  }
  const { listDocuments } = tools(namespace);
  const first = await listDocuments.execute({ limit: 2 }, {});
  const second = await listDocuments.execute({ limit: 2, cursor: first.nextCursor! }, {});
  expect([first.documents.length, second.documents.length, second.nextCursor]).toEqual([2, 1, null]);
});

it("has the errors of the handle, and stops with the signal", async () => {
  const { search, listDocuments } = tools(handbook);
  expect(await failureOf(() => listDocuments.execute({ limit: 5, cursor: "nonsense" }, {}))).toMatchObject({
    code: "invalid_input",
  });
  const abortSignal = AbortSignal.abort(new Error("left"));
  await expect(search.execute({ query: "lamp", limit: 5 }, { abortSignal })).rejects.toThrow("left");
});
