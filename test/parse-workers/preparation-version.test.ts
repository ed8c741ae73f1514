import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { structureChunker } from "#dist/chunkers/structure-chunker.js";
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
  version: 3,
  digests: {
    asciidoc: "03d6ae19b976",
    "boat-and-weather.md": "3bfd5d42ae9b",
    csv: "e6ecce189811",
    doc: "bfd15651100f",
    docx: "59dbc5389a67",
    eml: "a725a66609ad",
    epub: "b2798ddaca6b",
    fb2: "d19a366ccea0",
    html: "b384dc102cd7",
    ipynb: "e63ce03ebaf8",
    json: "4a2fd6cd0522",
    latex: "e7951b86a332",
    "light-and-fog-signal.html": "b496a4ce1347",
    "main content": "4febf228687c",
    markdown: "10d464dded30",
    msg: "78bcc7a20795",
    odf: "d545554d88ac",
    org: "3f4c63208b5c",
    ppt: "1b3ec9472ef9",
    pptx: "4a99ce7ef71e",
    rst: "5e02c42757e2",
    rtf: "599f9712227e",
    subtitles: "ef3234081528",
    text: "287b776e46a0",
    "visitor-guide.docx": "6f4223fea583",
    "volunteer-handbook.pdf": "29d1b5e6c9ca",
    xls: "e5860bd0a084",
    xlsx: "518f7629e9cf",
    xml: "f437bee42213",
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
  const prepared = await parseAndChunk(file, options, { parsers: [], chunker: structureChunker });
  return createHash("sha256").update(JSON.stringify(prepared)).digest("hex").slice(0, 12);
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
