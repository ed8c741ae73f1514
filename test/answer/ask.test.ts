import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask as askTool } from "#dist/agents/agent-tools.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { makeXlsx } from "../support/make-office.js";

const TEXTS = [
  "# The lamp\n\nThe tower has 167 steps. The lamp is lit thirty minutes before sunset. It burns until sunrise.",
  "# The boat\n\nThe boat leaves the harbour at 10:15. Dogs stay on board. A ticket costs 34 pounds.",
];

const kb = openKnowledgeBase();
let light: NamespaceHandle;
beforeAll(async () => {
  light = await newNamespace(kb, { embeddingConfig: { provider: "MANAGED_STATIC" } });
  for (const [index, text] of TEXTS.entries())
    await light.ingest({ type: "TEXT", text, fileName: `${index}.md` }).done({ throwOnFailure: true });
});
afterAll(() => kb.close());

it("quotes the sentence that answers, with a citation of its range in the document", async () => {
  const { text, isAnswered, citations, passages } = await light.ask("When is the lamp lit?");
  expect(isAnswered).toBe(true);
  expect(text.startsWith("The lamp is lit thirty minutes before sunset.")).toBe(true);
  const [first] = citations;
  expect(first).toMatchObject({ number: 1, headings: ["The lamp"], chunkId: passages[0]!.id });
  for (const { answerRange, quote, documentId, range } of citations) {
    expect(text.slice(answerRange.start, answerRange.end)).toBe(quote);
    const document = await light.documents.text(documentId);
    expect(document.text.slice(range.start, range.end)).toBe(quote);
  }
});

it("cites the row of a workbook, also where two tables have it, and not the whole passage", async () => {
  const workbook = await newNamespace(kb, { embeddingConfig: { provider: "MANAGED_STATIC" } });
  const rows = [
    ["Ferries"],
    ["Harbour", "Ship", "Summer fare"],
    ["Oban", "Lady of the Isles", "34 pounds"],
    ["Mallaig", "Western Star", "21 pounds"],
    [],
    ["Harbour", "Ship", "Winter fare"],
    ["Mallaig", "Western Star", "21 pounds"],
  ];
  const body = makeXlsx([{ name: "Ferries", rows }]);
  const { key } = await workbook.uploads.put({ fileName: "ferries.xlsx", body });
  await workbook.ingest({ type: "MANAGED_FILE", key }).done({ throwOnFailure: true });
  const { citations, passages } = await workbook.ask("What is the winter fare from Mallaig?");
  expect(citations[0]).toMatchObject({
    quote: "| Mallaig | Western Star | 21 pounds |",
    cells: [{ sheet: "Ferries", range: "A7:C7" }],
  });
  const { output } = await askTool.run(workbook, { question: "What is the winter fare from Mallaig?" }, {});
  expect(output).toMatchObject({ citations: [{ source: 'ferries.xlsx, sheet 1, A7:C7, "Ferries"' }] });
  const cells = ["A2:C4", "A6:C7"].map((range) => ({ sheet: "Ferries", range }));
  expect(passages[0]!.cells).toEqual(cells);
  const [hit] = await workbook.search("pounds", { mode: "keyword", includeHighlights: true });
  expect(hit!.highlights!.map(({ cells }) => cells![0]!.range)).toEqual(["A3:C3", "A4:C4", "A7:C7"]);
  for await (const chunk of workbook.documents.chunks(citations[0]!.documentId)) expect(chunk.cells).toEqual(cells);
});

it("says that there is no answer, and gives the closest passages", async () => {
  const answer = await light.ask("Who is the prime minister of France?");
  expect(answer).toMatchObject({ isAnswered: false, citations: [], text: "No answer was found in the documents." });
  expect(answer.passages.length).toBeGreaterThan(0);
  const noAnswerText = "Es gibt keine Antwort.";
  const run = light.ask("Who is the prime minister of France?", { noAnswerText });
  const texts: unknown[] = [];
  for await (const event of run) if (event.type === "text") texts.push(event.text);
  expect([texts, (await run).text]).toEqual([[noAnswerText], noAnswerText]);
  const empty = await (await newNamespace(kb)).ask("When is the lamp lit?");
  expect(empty).toMatchObject({ isAnswered: false, citations: [], passages: [] });
});

it("answers each question of a text, in their order", async () => {
  const { citations } = await light.ask(
    "When does the boat leave the harbour, and how many steps does the tower have?",
  );
  expect(citations.map(({ number, quote }) => [number, quote])).toEqual([
    [1, "The boat leaves the harbour at 10:15."],
    [2, "The tower has 167 steps."],
  ]);
});

it("streams the same answer, also to several callers and afterwards", async () => {
  const run = light.ask("When is the lamp lit?");
  const read = async () => {
    const events = [];
    for await (const event of run) events.push(event);
    return events;
  };
  const [events, again, answer] = await Promise.all([read(), read(), run]);
  expect(events.slice(0, 2)).toEqual([
    { type: "search", query: "When is the lamp lit?" },
    { type: "passages", passages: answer.passages },
  ]);
  expect(events.flatMap((event) => (event.type === "text" ? event.text : [])).join("")).toBe(answer.text);
  expect(events.flatMap((event) => (event.type === "citation" ? event.citation : []))).toEqual(answer.citations);
  expect(again).toEqual(events);
  expect(await read()).toEqual(events);
});

it("rejects with the error of the search, or the reason of the signal", async () => {
  expect(await failureOf(() => light.ask(""))).toMatchObject({ code: "invalid_input" });
  const iterate = async () => {
    for await (const { type } of light.ask("")) expect(type).toBe("search");
  };
  expect(await failureOf(iterate)).toMatchObject({ code: "invalid_input" });
  const reason = new Error("enough");
  await expect(light.ask("When?", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

it("is cancelled when its loop is left", async () => {
  const run = light.ask("When is the lamp lit?");
  for await (const { type } of run) if (type === "passages") break;
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
});

it("never quotes another tenant", async () => {
  await ingestTexts(light.tenant("acme"), ["The lamp of Acme is lit at noon."]);
  const quotes = async (handle: typeof light) =>
    (await handle.ask("When is the lamp of Acme lit?")).citations.map(({ quote }) => quote);
  expect(await quotes(light.tenant("acme"))).toEqual(["The lamp of Acme is lit at noon."]);
  expect(await quotes(light.tenant("other"))).toEqual([]);
  expect((await quotes(light)).join(" ")).not.toContain("noon");
});

it("verifies citations against the documents as they are now", async () => {
  const answer = await light.ask("When is the lamp lit?");
  const [first] = answer.citations;
  const statuses = async (citations: typeof answer.citations) =>
    (await light.verifyCitations({ citations })).map(({ status }) => status);
  expect(await statuses([first!])).toEqual(["verified"]);
  const { start, end } = first!.range;
  expect(await statuses([{ ...first!, quote: "The lamp is lit at noon." }])).toEqual(["changed"]);
  expect(await statuses([{ ...first!, range: { start: start + 1, end: end + 1 } }])).toEqual(["changed"]);
  expect(await statuses([{ ...first!, documentId: "doc_none" }])).toEqual(["gone"]);
  expect((await light.tenant("acme").verifyCitations(answer)).every(({ status }) => status === "gone")).toBe(true);
  const { range: _, ...rest } = first!;
  expect(
    await failureOf(() => light.verifyCitations({ citations: [rest as NonNullable<typeof first>] })),
  ).toMatchObject({
    ...{ code: "invalid_input", message: expect.stringMatching(/^citations\[0\]\.range: /) },
  });
});
