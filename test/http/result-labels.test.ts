import { expect, it } from "vitest";
import { labelResults } from "#dist/http/page/result-labels.js";

const passage = (number: number, headings: readonly string[] = [], page?: number) => ({
  ...{ chunkId: `doc_1#${number}`, title: "guide.pdf", headings },
  ...(page === undefined ? {} : { page }),
});

it("labels results by heading, document, path and page, and by number where they are alike", () => {
  const passages = [
    ...[passage(0, ["Guide", "Lamp"], 3), passage(1, ["Guide", "Lamp"], 4), passage(2, ["Lamp"])],
    ...[passage(3), passage(4), passage(5, [], 7)],
  ];
  const strings = { page: "Page {number}", passageNumber: "Passage {number}" };
  expect(labelResults(passages, { locale: "en", strings })).toEqual([
    { title: "Lamp", place: "guide.pdf › Guide › Page 3" },
    { title: "Lamp", place: "guide.pdf › Guide › Page 4" },
    { title: "Lamp", place: "guide.pdf" },
    { title: "guide.pdf", place: "Passage 4" },
    { title: "guide.pdf", place: "Passage 5" },
    { title: "guide.pdf", place: "Page 7" },
  ]);
});
