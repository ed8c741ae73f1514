import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readCollection } from "#dist/evaluate/read-collection.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lorebase-collection-"));
  write("corpus.jsonl", '{"_id":"d1","title":"Tides","text":"High water at noon."}\n\n{"_id":2,"text":"Fog."}\n');
  write("queries.jsonl", '{"_id":"q1","text":"high water"}\r\n{"_id":"q2","text":"nobody judged this"}\r\n');
  write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\t2\t0\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, content: string) => writeFileSync(join(root, name), content);

it("reads documents, judged queries and grades", async () => {
  const collection = await readCollection(root);
  expect(collection.documents).toEqual([
    { id: "d1", title: "Tides", text: "High water at noon." },
    { id: "2", title: "", text: "Fog." },
  ]);
  expect(collection.queries).toEqual([{ id: "q1", text: "high water" }]);
  expect([...collection.judgements.get("q1")!]).toEqual([
    ["d1", 1],
    ["2", 0],
  ]);
});

it("reads judgements in BEIR's own layout, with or without a header", async () => {
  rmSync(join(root, "qrels.tsv"));
  mkdirSync(join(root, "qrels"));
  write("qrels/test.tsv", "q1\td1\t2\n");
  expect((await readCollection(root)).judgements.get("q1")?.get("d1")).toBe(2);
});

it.each<[string, string, string, RegExp]>([
  ["broken JSON", "corpus.jsonl", '{"_id":"d1","text":"a"}\n{"_id":', /corpus\.jsonl:2 is not JSON/],
  ["a list", "queries.jsonl", "[1]", /queries\.jsonl:1 is not a JSON object/],
  ["a missing text", "corpus.jsonl", '{"_id":"d1"}', /corpus\.jsonl:1 has no text in the field "text"/],
  ["a grade that is not a number", "qrels.tsv", "h\th\th\nq1\td1\tgood\n", /qrels\.tsv:2 must be a query id/],
])("names file and line of %s", async (_, name, content, message) => {
  write(name, content);
  await expect(readCollection(root)).rejects.toThrow(message);
});

it("names the missing file", async () => {
  rmSync(join(root, "qrels.tsv"));
  await expect(readCollection(root)).rejects.toThrow(/has no qrels\.tsv or qrels\/test\.tsv/);
});
