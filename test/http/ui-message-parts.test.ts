import type { Citation, SearchHit } from "lorebase";
import type { WirePassage } from "lorebase/http";
import { describe, expect, it } from "vitest";
import { readConversation } from "#dist/http/ui-message-stream/read-conversation.js";
import { suggestQuestions } from "#dist/http/ui-message-stream/suggest-questions.js";
import { toWirePassage } from "#dist/http/ui-message-stream/wire-passage.js";

const mediaTypeOf = async () => "text/markdown";
const engineKeys = { documentId: "doc_1", namespaceId: "ns_1", sequence_number: 3 };

function hit(metadata: object = {}): SearchHit {
  return {
    ...{ id: "doc_1#3", score: 1, text: "The lamp.", range: { start: 5, end: 14 }, pages: [2, 3] },
    metadata: { ...engineKeys, ...metadata },
  };
}

describe("toWirePassage", () => {
  it.each([
    ["book.title", { book: { title: "The Light" }, filename: "a.pdf" }, "The Light"],
    ["book.title", { "book.title": "Flat", filename: "a.pdf" }, "Flat"],
    ["year", { year: 1901, filename: "a.pdf" }, "1901"],
    ["book.title", { book: "none", filename: "a.pdf" }, "a.pdf"],
    ["constructor.name", { filename: "a.pdf" }, "a.pdf"],
    ["book", { book: { title: "An object" }, url: "https://example.com/a" }, "https://example.com/a"],
    [null, { youtube_title: "A film" }, "A film"],
    [null, {}, "Untitled document"],
  ])("titles by the path %s with the metadata %o", async (titlePath, metadata, title) => {
    const passage = await toWirePassage(hit(metadata), { titlePath, metadataKeys: [], mediaTypeOf });
    expect(passage.title).toBe(title);
  });

  it("shows only metadata that is on the list", async () => {
    const metadataKeys = ["year", "absent", "toString"];
    const found = hit({ year: 1901, secret: "s", headings: ["Lamp"] });
    const passage = await toWirePassage(found, { titlePath: null, metadataKeys, mediaTypeOf });
    expect(passage).toEqual({
      ...{ chunkId: "doc_1#3", documentId: "doc_1", title: "Untitled document", headings: ["Lamp"], page: 2 },
      mediaType: "text/markdown",
      ...{ text: "The lamp.", range: { start: 5, end: 14 }, highlights: [], metadata: { year: 1901 } },
    });
  });
});

describe("suggestQuestions", () => {
  const passage = (ordinal: number, heading: string, documentId = "doc_1"): WirePassage => ({
    ...{ chunkId: `${documentId}#${ordinal}`, documentId, headings: ["Guide", heading], title: "guide.md" },
    ...{ mediaType: "text/markdown", text: "", range: { start: 0, end: 1 }, highlights: [], metadata: {} },
  });
  const cited = (ordinal: number): Citation => ({
    ...{ number: 1, chunkId: `doc_1#${ordinal}`, documentId: "doc_1", documentName: "guide.md" },
    ...{
      headings: ["Guide", "Lamp"],
      answerRange: { start: 0, end: 1 },
      quote: "",
      range: { start: 0, end: 1 },
      sha256: "",
    },
  });
  const suggest = (...passages: ReturnType<typeof passage>[]) =>
    suggestQuestions({ question: "When is the fuel delivered?", citations: [cited(3)], passages });

  it("asks about headings near the cited passage, at most three", () => {
    expect(
      suggest(
        ...[passage(4, "2.1 Fog horn"), passage(5, "How high is the tower?"), passage(2, "Visitors:")],
        ...[passage(1, "Boats")],
      ),
    ).toEqual(["What about Fog horn?", "How high is the tower?", "What about Visitors?"]);
  });

  it.each([
    ["of a cited section", passage(4, "Lamp")],
    ["far from the cited passage", passage(40, "Boats")],
    ["of another document", passage(4, "Boats", "doc_2")],
    ["that the question asks about", passage(4, "Fuel")],
    ["that is a number", passage(4, "3.2")],
    ["that says nothing", passage(4, "1. Introduction")],
    ["that is a sentence", passage(4, "Keepers who leave the station must tell the harbour master before ten o'clock")],
    ["with markup", passage(4, "<b>Boats</b>")],
  ])("suggests nothing for a heading %s", (_, only) => {
    expect(suggest(only)).toEqual([]);
  });

  it("suggests a heading once", () => {
    expect(suggest(passage(4, "Boats"), passage(5, "1. boats"))).toEqual(["What about Boats?"]);
  });
});

describe("readConversation", () => {
  const message = (role: "user" | "assistant" | "system", text: string) => ({ role, parts: [{ type: "text", text }] });

  it("takes the last message of the user, and the conversation before it without markers and instructions", () => {
    const messages = [
      ...[message("system", "Obey."), message("user", "First?"), message("assistant", "It is lit [1], daily. [12]")],
      ...[message("user", "Second?"), message("assistant", "To be regenerated.")],
    ];
    expect(readConversation(messages)).toEqual({
      question: "Second?",
      history: [
        { role: "user", content: "First?" },
        { role: "assistant", content: "It is lit, daily." },
      ],
    });
  });

  it("keeps brackets in code and links, and those without a space before them", () => {
    const kept = (text: string) =>
      readConversation([message("assistant", text), message("user", "Next?")]).history.map(({ content }) => content)[0];
    expect(kept("[1] `a [1]`, ``b ` [1]`` and array[1] [2]. [3] [4]")).toBe("`a [1]`, ``b ` [1]`` and array[1].");
    expect(kept("See [1](https://a.example) [2].")).toBe("See [1](https://a.example).");
    expect(kept("```js\nreturn [1];\n```\n\n[2] [3]\n\nSo. [4]")).toBe("```js\nreturn [1];\n```\n\nSo.");
    expect(kept("~~~\n`` [1]\n~~~ [2]\n\n```\n[3] = [4]")).toBe("~~~\n`` [1]\n~~~\n\n```\n[3] = [4]");
    expect(kept("A lone ` here [1].\n\nAnother ` there [2].")).toBe("A lone ` here.\n\nAnother ` there.");
    expect(kept("[1]")).toBeUndefined();
  });

  it("joins text parts and ignores others", () => {
    const parts = [
      ...[
        { type: "text", text: "One" },
        { type: "data-passages", data: {} },
        { type: "text", text: "two?" },
      ],
      { type: "text", text: 3 },
    ];
    expect(readConversation([{ role: "user", parts }]).question).toBe("One\n\ntwo?");
  });

  it("leaves out the oldest messages of a long conversation", () => {
    const messages = Array.from({ length: 99 }, (_, index) => message("user", `${index} ${"a".repeat(1000)}`));
    const { history } = readConversation([...messages, message("user", "Last?")]);
    expect(history.length).toBeGreaterThan(20);
    expect(history.length).toBeLessThan(33);
    expect(history.at(-1)!.content).toMatch(/^98 /);
    expect(history[0]!.content).toMatch(new RegExp(`^${99 - history.length} `));
  });
});
