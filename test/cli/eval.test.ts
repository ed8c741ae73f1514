import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

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

/** Writes a file beside the collection's. */
function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Report {
  readonly results: readonly {
    readonly name: string;
    readonly measures: Readonly<Record<string, { readonly mean: number }>>;
  }[];
  readonly comparisons: readonly { readonly p: number }[];
  readonly ingests: readonly object[];
  readonly failures: readonly { readonly measure: string; readonly message: string }[];
}

const temporaryDirectories = () => readdirSync(tmpdir()).filter((name) => name.startsWith("lorebase-eval-"));

it("measures every mode with the engine and removes its temporary directory", async () => {
  const before = temporaryDirectories();
  const { code, stdout } = await lorebaseHere(["eval", folder, "--embedding", "MANAGED_LEXICAL", "--json"]);
  const report = JSON.parse(stdout) as Report;
  expect(report).toMatchObject({ collection: "tides", documents: 4, questions: 3, failures: [], baseline: null });
  expect(report.results.map(({ name }) => name)).toEqual(["keyword", "semantic", "hybrid"]);
  const perfect = { mean: 1, low: 1, high: 1 };
  for (const { measures } of report.results)
    expect(measures).toMatchObject({ "nDCG@10": perfect, "recall@100": perfect, "MRR@10": perfect });
  for (const { p } of report.comparisons) expect(p).toBe(1);
  expect(temporaryDirectories()).toEqual(before);
  expect(code).toBe(0);
});

it("prints a table of means with intervals, and one of differences", async () => {
  const { stdout } = await lorebaseHere(["eval", folder, "--embedding", "MANAGED_LEXICAL"]);
  expect(stdout).toMatch(/tides: 4 documents, 3 queries\ningested with MANAGED_LEXICAL hash-1024 in /);
  expect(stdout).toMatch(
    /setting +nDCG@10 +recall@10 +recall@100 +MRR@10 +p50 +p95\nkeyword +1\.0000 \[1\.000, 1\.000\]/,
  );
  expect(stdout).toMatch(/difference +measure +mean +95 % +p\nsemantic − keyword +nDCG@10 +\+0\.0000 .+ 1\.0000/);
});

it("compares named settings and ingests once for each embedding", async () => {
  const settings = write(
    "settings.yaml",
    `- &ten { name: ten, mode: keyword, topK: 10, embedding: { provider: MANAGED_LEXICAL } }
- { <<: *ten, name: none, keywordFilter: nowhere }
`,
  );
  const { stdout } = await lorebaseHere(["eval", folder, "--settings", settings, "--json"]);
  const { results, comparisons, ingests } = JSON.parse(stdout) as Report;
  expect(results.map(({ name, measures }) => [name, measures["recall@10"]!.mean])).toEqual([
    ["ten", 1],
    ["none", 0],
  ]);
  // All three questions differ in the same direction: 2 of 8 sign assignments.
  expect(comparisons[0]).toMatchObject({ name: "none", to: "ten", measure: "nDCG@10", p: 0.25 });
  expect(ingests).toMatchObject([{ embeddingConfig: { provider: "MANAGED_LEXICAL" } }]);
});

describe("golden questions", () => {
  const directory = join(folder, "kb");
  const golden = write(
    "golden.yaml",
    `name: Tides
namespace: tides
questions:
  - question: when is high water at the landing
    answers:
      - document: tides.txt
        contains: twelve minutes after Port Annet
  - id: fog
    question: fog signal blast
    answers: [{ document: fog.txt }]
`,
  );
  const evaluate = (...args: string[]) =>
    lorebaseHere(["eval", golden, "--directory", directory, "--mode", "keyword", ...args]);
  beforeAll(async () => {
    write("tides.txt", documents.d1[1]!);
    write("fog.txt", documents.d2[1]!);
    const files = [join(folder, "tides.txt"), join(folder, "fog.txt")];
    const { code, stderr } = await lorebaseHere([
      ...["ingest", ...files, "--directory", directory, "--namespace", "tides", "--embedding", "MANAGED_LEXICAL"],
    ]);
    expect(code, stderr).toBe(0);
  });

  it("are evaluated on existing content", async () => {
    const { code, stdout } = await evaluate("--json");
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ name: "Tides", namespace: "tides", questions: 2 });
    expect(report.results[0]).toMatchObject({
      name: "keyword",
      measures: { "recall@10": { mean: 1 } },
      questions: [{ id: "when is high water at the landing", scores: { "MRR@10": 1 } }, { id: "fog" }],
    });
    expect(code).toBe(0);
  });

  it("pass if no measure fell since the baseline, else fail with one sentence for each that did", async () => {
    const { stdout } = await evaluate("--json");
    const baseline = write("baseline.json", stdout);
    expect((await evaluate("--baseline", baseline)).code).toBe(0);

    const worse = write("worse.yaml", "- {name: keyword, mode: keyword, keywordFilter: blast}\n");
    const failed = await lorebaseHere([
      ...["eval", golden, "--directory", directory, "--settings", worse, "--baseline", baseline, "--json"],
    ]);
    expect(failed.code).toBe(1);
    const { failures } = JSON.parse(failed.stdout) as Report;
    expect(failures.map(({ measure }) => measure)).toEqual(["nDCG@10", "recall@10", "recall@100", "MRR@10"]);
    expect(failures[0]!.message).toBe(
      "keyword: nDCG@10 fell by 0.5, from 1 to 0.5 over 2 questions, which is not significant (p = 1) but more than the allowed 0.01",
    );
    expect(failed.stderr).toContain(`lorebase: ${failures[0]!.message}\n`);
    const allowed = ["--settings", worse, "--baseline", baseline, "--max-drop", "0.5"];
    expect((await lorebaseHere(["eval", golden, "--directory", directory, ...allowed])).code).toBe(0);
  });

  it("fail below a required mean, also of a measure that is not measured by default", async () => {
    const { code, stdout } = await evaluate("--fail-below", "recall@3=1,keyword:nDCG@10=1");
    expect([code, stdout]).toEqual([0, expect.stringContaining("recall@3")]);
    const worse = write("worse.yaml", "- {name: none, mode: keyword, keywordFilter: nowhere}\n");
    const failed = await lorebaseHere([
      ...["eval", golden, "--directory", directory, "--settings", worse, "--fail-below", "MRR@10=0.68"],
    ]);
    expect(failed.stderr).toContain("none: MRR@10 is 0, 0.68 below the minimum of 0.68");
    expect(failed.code).toBe(1);
  });

  it.each<[string, string, RegExp]>([
    ["invalid YAML", "questions: [", /golden\.broken\.yaml is not YAML: .* line 1/s],
    ["an unknown key", "question: []", /golden\.broken\.yaml: .*unknown key "question"; did you mean "questions"/],
    [
      "an unknown document",
      "namespace: tides\nquestions: [{question: a, answers: [{document: tide.txt}]}]",
      /did you mean "tides\.txt"/,
    ],
  ])("report %s", async (_, content, message) => {
    const file = write("golden.broken.yaml", content);
    const { code, stderr } = await lorebaseHere(["eval", file, "--directory", directory]);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });
});

it.each<[string, string[], RegExp]>([
  ["a namespace for a collection", ["--namespace", "x"], /--namespace cannot be used here/],
  ["two ways to choose settings", ["--mode", "hybrid", "--settings", "x.yaml"], /use only one/],
  ["an invalid limit", ["--fail-below", "nDCG=1"], /--fail-below: measures must be .*, not "nDCG"/],
  ["a drop above 1", ["--max-drop", "2", "--baseline", "x"], /--max-drop must be a number from 0 to 1, not "2"/],
  ["a drop without a baseline", ["--max-drop", "0.1"], /--max-drop needs --baseline/],
])("refuses %s as a usage error", async (_, args, message) => {
  const { code, stderr } = await lorebaseHere(["eval", folder, ...args]);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

it("reads the baseline before it measures", async () => {
  const { code, stderr } = await lorebaseHere(["eval", folder, "--baseline", join(folder, "none.json")]);
  expect(stderr).toMatch(/none\.json cannot be read/);
  expect(code).toBe(1);
});

it("shows the form of a file of golden questions that has another one", async () => {
  const list = write("list.json", JSON.stringify([{ question: "When?", answer: "now" }]));
  const { code, stderr } = await lorebaseHere(["eval", list]);
  expect(stderr).toContain("list.json: ");
  expect(stderr).toContain("has this form:\n\nnamespace: handbook\nquestions:\n  - question: When is the lamp lit?");
  expect(code).toBe(1);
});

it("refuses a folder that is not a collection", async () => {
  const { code, stderr } = await lorebaseHere(["eval", "examples/data"]);
  expect(stderr).toContain("has no corpus.jsonl");
  expect(code).toBe(1);
});
