import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lorebase, lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const lexical = ["--embedding", "MANAGED_LEXICAL"];

interface IngestReport {
  readonly namespace: { readonly slug: string; readonly embeddingConfig: { readonly provider: string } };
  readonly jobs: readonly {
    readonly status: string;
    readonly counts: { readonly documents: { readonly total: number } };
  }[];
  readonly documents: readonly { readonly name: string; readonly status: string; readonly error: string | null }[];
}

interface SearchReport {
  readonly hits: readonly {
    readonly score: number;
    readonly text: string;
    readonly metadata: Record<string, unknown>;
  }[];
}

const parsed = <T>(text: string) => JSON.parse(text) as T;

describe("ingest and search", () => {
  it("ingests a folder and finds a passage with its page", async () => {
    const ingest = await lorebase(["ingest", "examples/data", "-d", join(folder, "kb"), ...lexical]);
    expect(ingest.stderr).toMatch(/ingesting 4\/4 {2}files, \d+ chunks\n/);
    expect(ingest.stdout).toMatch(/^4 documents, \d+ chunks in [\d.]+ s\nnamespace default \(MANAGED_LEXICAL/);
    expect(ingest.code).toBe(0);

    const search = await lorebaseHere([
      "search",
      "orange panels helipad",
      "-d",
      join(folder, "kb"),
      "-m",
      "keyword",
      "-k",
      "1",
    ]);
    expect(search.stdout).toMatch(/^1\. \d\.\d{3} {2}volunteer-handbook\.pdf · pages 1–2 · \S.*\n {3}\S/);
    expect(search.code).toBe(0);
  });

  it("lists passages without a query, page by page", async () => {
    const command = [
      "passages",
      "-d",
      join(folder, "kb"),
      "--order-by",
      "filename",
      "--ascending",
      "--one-per-document",
    ];
    const filter = ["--filter", '{"filename":{"$gt":"l"}}'];
    const first = await lorebaseHere([...command, ...filter, "-k", "1"]);
    expect(first.stdout).toMatch(/^"[^"]+" {2}[^\n]+\n {3}\S/);
    const [, total, cursor] = /(\d+) in total; next page: --cursor (\S+)/.exec(first.stdout)!;
    const all = JSON.parse((await lorebaseHere([...command, ...filter, "--json"])).stdout);
    expect(all).toMatchObject({ namespace: "default", total: Number(total), nextCursor: null });
    const rest = JSON.parse((await lorebaseHere([...command, "--cursor", cursor!, "--json"])).stdout);
    expect(rest.items).toEqual(all.items.slice(1));
    expect(rest.items.length).toBeGreaterThan(0);
  });

  it("names the option and the existing namespaces if there is no such namespace", async () => {
    const directory = ["-d", join(folder, "one")];
    writeFileSync(join(folder, "lamp.txt"), "The lamp is lit before sunset.");
    const ingest = await lorebaseHere(["ingest", join(folder, "lamp.txt"), ...directory, "-n", "light", ...lexical]);
    expect(ingest.stdout).toMatch(/^1 document, 1 chunk in/);
    for (const command of [["search", "lamp"], ["ask", "When?"], ["documents"]]) {
      const { code, stderr } = await lorebaseHere([...command, ...directory]);
      expect(stderr).toContain('There is no namespace "default". Choose one with -n or --namespace: light.');
      expect(code).toBe(1);
    }
    await lorebaseHere(["namespaces", "delete", "light", "--yes", ...directory]);
    const { stderr } = await lorebaseHere(["search", "lamp", ...directory]);
    expect(stderr).toContain("There are no namespaces yet: lorebase ingest creates one.");
  });

  it("answers a question with quotes and their origin, or shows the closest passages", async () => {
    const directory = ["-d", join(folder, "kb")];
    const answered = await lorebaseHere([
      "ask",
      "At what battery level should the generator be started?",
      ...directory,
    ]);
    expect(answered.stdout).toMatch(
      /^Start the generator when the battery falls below 60 per cent[\s\S]* \[1\][\s\S]*\n\[1\] volunteer-handbook\.pdf, p\. \d/,
    );
    expect(answered.code).toBe(0);
    const { isAnswered, citations } = parsed<{ isAnswered: boolean; citations: { quote: string }[] }>(
      (await lorebaseHere(["ask", "At what battery level should the generator be started?", ...directory, "--json"]))
        .stdout,
    );
    expect(isAnswered).toBe(true);
    expect(citations[0]!.quote).toContain("Start the generator when the battery falls below 60 per cent");
    const declined = await lorebaseHere(["ask", "Who is the prime minister?", ...directory]);
    expect(declined.stdout).toMatch(
      /^No answer was found in the documents\.\n\nThe closest passages:\n\n1\. 0\.\d{3} {2}/,
    );
  });

  it("shows the stages of a passage, and where a search loses a document", async () => {
    const directory = ["-d", join(folder, "kb")];
    const query = ["orange", "panels", "helipad", "-m", "keyword", "-k", "1"];
    const search = await lorebaseHere(["search", ...query, ...directory, "--explain"]);
    expect(search.stdout).toMatch(/\n {3}keyword #1 0\.\d{3}, BM25 [\d.]+ of [\d.]+/);
    const [hit] = parsed<SearchReport>((await lorebaseHere(["search", ...query, ...directory, "--json"])).stdout).hits;
    const found = String(hit!.metadata.documentId);
    const returned = await lorebaseHere(["explain", found, ...query, ...directory]);
    expect(returned.stdout).toMatch(new RegExp(`^rank 1: ${found}#\\d+\\n {3}keyword #1 `));
    const lost = await lorebaseHere(["explain", found, "zeppelin", "-m", "keyword", ...directory, "--json"]);
    expect(parsed(lost.stdout)).toMatchObject({ outcome: "lost", stage: "keyword", documentId: found, rank: null });
    const sentence = await lorebaseHere(["explain", found, "zeppelin", "-m", "keyword", ...directory]);
    expect([sentence.code, sentence.stdout]).toEqual([
      0,
      expect.stringMatching(/^lost at keyword: .*no term of the query/),
    ]);
  });

  it("prints only one JSON document on stdout", async () => {
    const directory = ["-d", join(folder, "json"), "--json"];
    const flags = ["--namespace", "notes", "--metadata", '{"year":2026}', ...lexical];
    const ingest = await lorebase(["ingest", "examples/data/*.{md,html}", ...directory, ...flags]);
    const report = parsed<IngestReport>(ingest.stdout);
    expect(report.namespace).toMatchObject({ slug: "notes", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
    expect(report.documents.map((document) => document.status)).toEqual(["COMPLETED", "COMPLETED"]);

    const search = ["search", "fog signal", ...directory, "-n", "notes", "--filter"];
    const found = parsed<SearchReport>((await lorebaseHere([...search, '{"year":2026}'])).stdout);
    expect(found.hits[0]?.metadata.year).toBe(2026);
    const other = await lorebaseHere([...search, '{"year":{"$lt":2026}}']);
    expect(parsed<SearchReport>(other.stdout).hits).toEqual([]);
    expect(other.code).toBe(0);
    expect(other.stderr).toBe("");
  });

  it("isolates tenants", async () => {
    const directory = ["-d", join(folder, "tenants")];
    await lorebaseHere(["ingest", "examples/data/boat-and-weather.md", ...directory, ...lexical, "--tenant", "annet"]);
    const search = ["search", "swell", ...directory, "--json"];
    expect(parsed<SearchReport>((await lorebaseHere(search)).stdout).hits).toHaveLength(0);
    expect(parsed<SearchReport>((await lorebaseHere([...search, "--tenant", "annet"])).stdout).hits).not.toHaveLength(
      0,
    );
  });

  it("exits with 1 if a document fails, and ingests the others", async () => {
    const files = join(folder, "mixed");
    mkdirSync(files);
    writeFileSync(join(files, "good.txt"), "The tide turns at noon.");
    writeFileSync(join(files, "bad.pdf"), "%PDF-1.7 and then nothing");
    const { code, stdout } = await lorebaseHere(["ingest", files, "-d", join(folder, "partly"), ...lexical]);
    expect(stdout).toMatch(/failed {3}bad\.pdf: \S/);
    expect(stdout).toMatch(/\n1 document, 1 chunk in/);
    expect(code).toBe(1);
  });

  it("refuses another embedder for an existing namespace", async () => {
    const args = ["ingest", "examples/data/boat-and-weather.md", "-d", join(folder, "kb")];
    const { code, stderr } = await lorebaseHere([...args, "--embedding", "MANAGED_TRANSFORMERS"]);
    expect(stderr).toContain("namespace default already uses MANAGED_LEXICAL");
    expect(code).toBe(1);
  });

  it("reports a missing namespace", async () => {
    const { code, stdout } = await lorebaseHere(["search", "x", "-d", join(folder, "kb"), "-n", "nobody", "--json"]);
    expect(parsed<{ error: { code: string } }>(stdout).error.code).toBe("not_found");
    expect(code).toBe(1);
  });
});

describe("many files", () => {
  const files = join(folder, "many");
  mkdirSync(files);
  for (let index = 0; index < 1005; index++)
    writeFileSync(join(files, `${index} [n].txt`), `Note ${index} of the log.`);

  it("creates one job for each thousand files", async () => {
    const ingest = ["ingest", files, "-d", join(folder, "thousand"), ...lexical, "--json"];
    const { code, stdout, stderr } = await lorebaseHere(ingest);
    expect(stderr).toMatch(/ingesting 1,005\/1,005 {2}files, 1005 chunks\n$/);
    const report = parsed<IngestReport>(stdout);
    expect(report.jobs.map((job) => job.counts.documents.total)).toEqual([1000, 5]);
    expect(report.documents).toHaveLength(1005);
    expect(code).toBe(0);
  });

  it("stops cleanly on Ctrl-C", async () => {
    const directory = join(folder, "stopped");
    // Enough files that the job still runs when the signal arrives.
    const some = join(files, "[1-3]*.txt");
    const { code, stderr, stdout } = await lorebase(["ingest", some, "-d", directory, ...lexical, "--json"], {
      onStderr: (text, kill) => text.includes("ingesting") && kill("SIGINT"),
    });
    expect(stderr).toContain("press Ctrl-C again");
    expect(parsed<unknown>(stdout)).toEqual({ error: { code: "cancelled", message: "cancelled" } });
    expect(code).toBe(130);
    // The next command can use the directory.
    expect((await lorebaseHere(["ingest", "examples/data/boat-and-weather.md", "-d", directory])).code).toBe(0);
  });
});
