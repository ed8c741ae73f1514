import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseAndChunk } from "#dist/parse-workers/parse-and-chunk.js";
import { PREPARATION_VERSION } from "#dist/parse-workers/preparation-version.js";
import { BUILT_IN_PARSERS } from "#dist/parsers/built-in-parsers.js";
import type { SourceFile } from "../../src/interfaces/parser.js";
import { sourceFile } from "../support/make-files.js";
import { blogTheme } from "../support/pages/blog-theme.js";
import { PARSER_SAMPLES } from "../support/parser-samples.js";

/** What text recognition gives is its package's matter, and a PDF made now has the time in it: one of the examples stands for it. */
const { image: _, pdf: __, ...SAMPLES } = PARSER_SAMPLES;
const EXAMPLES = "examples/data";

/** As recorded with the version. Where one differs, raise `PREPARATION_VERSION` and record what the failure shows. */
const RECORDED = {
  version: 11,
  digests: {
    asciidoc: "180283e61c8d",
    "boat-and-weather.md": "7720b5f036df",
    csv: "01251cd17e8e",
    doc: "370c0ccce453",
    docx: "b25650f85a51",
    eml: "090b2bf63d13",
    epub: "33b87676da8d",
    fb2: "1d7b0bd96583",
    html: "86949a2d6e9d",
    ipynb: "0b3f26779b97",
    json: "5142ea0b9b36",
    latex: "089ac392ac46",
    "light-and-fog-signal.html": "6b104fc46778",
    "main content": "844710578dea",
    markdown: "7c082576a4ad",
    msg: "6eb6749f8184",
    odf: "367f1aeaa0df",
    org: "3a33e99c8113",
    ppt: "4669a8133d84",
    pptx: "5c1d2f0a7501",
    rst: "65ec9a87d9dc",
    rtf: "977ce66da329",
    subtitles: "d60b9357b08a",
    text: "505dd7a3cb2f",
    "visitor-guide.docx": "feffaf976691",
    "volunteer-handbook.pdf": "7cdd1e0c8727",
    xls: "f303770ba90b",
    xlsx: "53290faae6d1",
    xml: "75d66caaf3a6",
  },
};

async function digestOf(file: SourceFile, mainContent = false): Promise<string> {
  const chunk = {
    chunkSize: 512,
    chunkOverlap: 0,
    maxChunkSize: 1024,
    delimiter: null,
    maxTokens: null,
    countTokens: async (texts: readonly string[]) => texts.map(({ length }) => length),
  };
  const options = { parse: { mainContent }, chunk, countAll: true };
  const { parseMs: _, chunkMs: __, ...prepared } = await parseAndChunk(file, options);
  const fields = Object.entries(prepared).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex").slice(0, 12);
}

describe("the version of the rules of parsing and chunking", () => {
  it("matches the recorded digests of small files of every format", async () => {
    const files: [string, SourceFile][] = Object.entries(SAMPLES).map(([name, { file }]) => [name, file]);
    for (const name of readdirSync(EXAMPLES).toSorted())
      files.push([name, { name, mimeType: null, bytes: readFileSync(`${EXAMPLES}/${name}`) }]);
    const digests: Record<string, string> = {};
    for (const [name, file] of files) digests[name] = await digestOf(file);
    const page = sourceFile("a.html", blogTheme.html);
    digests["main content"] = await digestOf(page, true);
    expect({ version: PREPARATION_VERSION, digests }).toEqual(RECORDED);
  });

  it("has a sample of every built-in parser", () => {
    expect(Object.keys(PARSER_SAMPLES).sort()).toEqual(BUILT_IN_PARSERS.map(({ name }) => name).sort());
  });
});
