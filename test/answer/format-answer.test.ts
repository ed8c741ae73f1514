import { formatAnswer } from "lorebase";
import { expect, it } from "vitest";

const citation = (number: number, end: number) => ({
  ...{ number, chunkId: "doc_1#0", documentId: "doc_1", documentName: "lamp.md", headings: [], quote: "", sha256: "" },
  ...{ range: { start: 0, end: 0 }, answerRange: { start: 0, end } },
});

it("puts the numbers after what they support, each once", () => {
  const text = "At dusk. It burns oil.";
  const citations = [citation(1, 8), citation(2, 8), citation(1, 8), citation(3, 22)];
  expect(formatAnswer({ text, citations })).toBe("At dusk. [1] [2] It burns oil. [3]");
  expect(formatAnswer({ text, citations }, (number) => `<${number}>`)).toBe("At dusk. <1> <2> It burns oil. <3>");
  expect(formatAnswer({ text, citations: [] })).toBe(text);
});

it("puts the numbers after a block of code into a paragraph of their own", () => {
  const text = "So:\n\n> ```\n> lamp\n> ```\n\nMore.";
  const citations = [citation(1, text.lastIndexOf("```") + 3), citation(2, text.length)];
  expect(formatAnswer({ text, citations })).toBe("So:\n\n> ```\n> lamp\n> ```\n\n[1]\n\nMore. [2]");
});
