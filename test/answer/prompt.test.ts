import { type SearchHit, toPrompt } from "lorebase";
import { expect, it } from "vitest";

const hit = (text: string, names: { filename?: string; headings?: readonly string[] } = {}): SearchHit => ({
  ...{ id: "doc_1#0", score: 1, text },
  metadata: { documentId: "doc_1", namespaceId: "ns_1", sequence_number: 0, ...names },
});

it("numbers the passages that fit, with their document and headings", () => {
  const hits = [hit("Lit at dusk.", { filename: "lamp.md", headings: ["Lamp", "Times"] }), hit("x".repeat(5000))];
  const { text, passages } = toPrompt(hits, { maxTokens: 500 });
  expect(text).toBe('<passage number="1" source="lamp.md" headings="Lamp > Times">\nLit at dusk.\n</passage>');
  expect(passages).toEqual(hits.slice(0, 1));
});

it("has at least the beginning of the first passage, however long its names are", () => {
  const long = hit("Lit at dusk. ".repeat(500), {
    filename: "é".repeat(3000),
    headings: Array<string>(50).fill("高さ ".repeat(50)),
  });
  const { text, passages } = toPrompt([long], { maxTokens: 500 });
  expect(text).toContain("\nLit at dusk.");
  expect(passages).toEqual([long]);
});

it.each([
  [{ maxTokens: 10 }, /^maxTokens: .*500, got 10$/],
  [{ maxTokens: Number.NaN }, /^maxTokens: /],
  [{ maxtokens: 1000 } as object, /did you mean "maxTokens"/],
])("names what is wrong with the options %j", (options, message) => {
  expect(() => toPrompt([hit("Lit.")], options)).toThrow(message);
});
