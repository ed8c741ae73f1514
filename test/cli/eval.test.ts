import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lorebase, temporaryFolder } from "./lorebase.js";

const folder = join(temporaryFolder(), "tides");
mkdirSync(folder);
const documents = {
  d1: ["Tides", "High water at the landing comes twelve minutes after Port Annet."],
  d2: ["", "The fog signal gives one blast every thirty seconds."],
  d3: ["Puffins", "The birds nest in burrows from April to July."],
  d4: ["Empty", ""],
};
const queries = { q1: "when is high water at the landing", q2: "fog signal blast", q3: "puffins nest", unjudged: "x" };
const jsonl = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
writeFileSync(
  join(folder, "corpus.jsonl"),
  jsonl(Object.entries(documents).map(([_id, [title, text]]) => ({ _id, title, text }))),
);
writeFileSync(join(folder, "queries.jsonl"), jsonl(Object.entries(queries).map(([_id, text]) => ({ _id, text }))));
writeFileSync(join(folder, "qrels.tsv"), "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq3\td3\t1\n");

const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("lorebase-eval-"));

it("measures every mode through the engine and leaves nothing behind", async () => {
  const before = left();
  const { code, stdout } = await lorebase(["eval", folder, "--embedding", "MANAGED_LEXICAL", "--json"]);
  const report = JSON.parse(stdout) as { queries: number; documents: number; results: Record<string, unknown>[] };
  expect(report).toMatchObject({ collection: "tides", documents: 4, queries: 3 });
  expect(report.results.map((result) => result.mode)).toEqual(["keyword", "semantic", "hybrid"]);
  for (const result of report.results) expect(result).toMatchObject({ "nDCG@10": 1, "recall@100": 1, "MRR@10": 1 });
  expect(left()).toEqual(before);
  expect(code).toBe(0);
});

it("prints a table", async () => {
  const { stdout } = await lorebase(["eval", folder, "--embedding", "MANAGED_LEXICAL", "--mode", "keyword"]);
  expect(stdout).toMatch(/tides: 4 documents, 3 queries, MANAGED_LEXICAL/);
  expect(stdout).toMatch(/mode +nDCG@10 +recall@10 +recall@100 +MRR@10 +p50 +p95\nkeyword +1\.0000/);
});

it("names a folder that is no collection", async () => {
  const { code, stderr } = await lorebase(["eval", "examples/data"]);
  expect(stderr).toContain("has no corpus.jsonl");
  expect(code).toBe(1);
});
