import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { normalizeErrors } from "#dist/parsers/shared/errors/normalize-errors.js";
import { toWireError } from "#dist/rpc/wire-error.js";
import type { SourceFile } from "../../src/interfaces/parser.js";
import { failureOf } from "../support/knowledge-base.js";
import { makeDocx, sourceFile, wordParagraph } from "../support/make-files.js";
import { PARSER_SAMPLES } from "../support/parser-samples.js";

/** What libraries and the language say of themselves, and no sentence of ours does. */
const RAW =
  /\[xmldom|@#\[|\bundefined\b|\bnull\b|\bNaN\b|Error:|\bat \w+ \(|node_modules|\.js:\d|position \d+ |Cannot read prop|is not a function|is not iterable|Unexpected token|JSON input|Invalid PDF|bounds of|out of range/;

/** A sentence about the file, or about what stands in it. */
const SENTENCE = /^(?:"[^"]+"|The file) [^\n]+\.$/;

const encoder = new TextEncoder();

/** Ways to damage a file; each that is no multiple of the file's own structure. */
const DAMAGE: readonly [string, (bytes: Uint8Array) => Uint8Array][] = [
  ["cut in half", (bytes) => bytes.slice(0, bytes.length >> 1)],
  ["cut near its end", (bytes) => bytes.slice(0, Math.floor(bytes.length * 0.95))],
  [
    "zeros in its middle",
    (bytes) => bytes.map((byte, at) => (Math.abs(at - bytes.length / 2) < bytes.length / 8 ? 0 : byte)),
  ],
  ["every 40th byte another", (bytes) => bytes.map((byte, at) => (at > 30 && at % 40 === 7 ? byte ^ 0x5a : byte))],
  ["its last quarter doubled", (bytes) => new Uint8Array([...bytes, ...bytes.slice(bytes.length * 0.75)])],
];

async function said(file: SourceFile): Promise<readonly string[]> {
  try {
    return (await parseDocument(file)).warnings;
  } catch (error) {
    if (!KnowledgeBaseError.is(error)) throw error;
    expect(["invalid_input", "limit_exceeded", "unsupported"], error.message).toContain(error.code);
    expect(error.message).toMatch(SENTENCE);
    return [error.message];
  }
}

describe.each(Object.entries(PARSER_SAMPLES))("of a damaged file, the %s parser", (_, { file }) => {
  it.each(DAMAGE)("fails with a message of its own: %s", async (_, damage) => {
    for (const message of await said({ ...file, bytes: damage(file.bytes) })) {
      expect(message).not.toMatch(RAW);
      expect(message).toMatch(/\.$/);
    }
  });
});

const docxOf = (xml: string) => sourceFile("a.docx", makeDocx("", { parts: { "word/document.xml": xml } }));

it.each([
  [
    "an entity that is not declared",
    sourceFile("a.docx", makeDocx(wordParagraph("one&nbsp;two"))),
    '"a.docx" is damaged: its part "word/document.xml" is not well-formed XML: it uses the entity &nbsp;, which is not declared.',
  ],
  ["JSON that is cut off", sourceFile("a.json", '{"a": [1, 2'), '"a.json" is not valid JSON: it ends unexpectedly.'],
  [
    "JSON with a comma too many",
    sourceFile("a.json", '{\n  "a": 1,\n  "b": [1,, 2]\n}'),
    /^"a\.json" is not valid JSON: its syntax is wrong(?: at line 3, column \d+)?\.$/,
  ],
  [
    "a PDF without its structure",
    sourceFile("a.pdf", "%PDF-1.7\nnothing of a PDF\n%%EOF"),
    '"a.pdf" is a truncated or damaged PDF: its structure cannot be read.',
  ],
  [
    "a message whose header is too large",
    sourceFile("a.eml", `From: a@example.com\nSubject: ${"long ".repeat(500_000)}\n\nText.\n`),
    '"a.eml" cannot be read as a message: its header is larger than 2 MB.',
  ],
])("says what is wrong with %s", async (_, file, message) => {
  const error = await failureOf(() => parseDocument(file));
  expect(error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  // For whoever looks into it, the library's own words.
  expect(error.cause).toBeInstanceOf(Error);
});

it.each([["<a/>"], ["junk"], ["<w:document><w:body>"]])(
  "a Word document that is only %j is refused in words of ours",
  async (xml) => {
    const { code, message } = await failureOf(() => parseDocument(docxOf(xml)));
    expect(code).toBe("invalid_input");
    expect(message).toMatch(SENTENCE);
    expect(message).not.toMatch(RAW);
  },
);

describe("an error that no parser expects", () => {
  const failing = (error: unknown) =>
    normalizeErrors({
      name: "sample",
      mimeTypes: [],
      extensions: [],
      supportedOptions: [],
      async parse() {
        throw error;
      },
    }).parse({ name: "a.txt", mimeType: "text/plain", bytes: encoder.encode("text") }, {});

  it("is internal, its own words being the cause, also on the way from another process", async () => {
    const own = new TypeError("Cannot read properties of undefined (reading 'x')");
    const error = await failureOf(() => failing(own));
    expect([error.code, error.message]).toEqual(["internal", '"a.txt" cannot be read: the sample parser failed.']);
    expect(error.cause).toBe(own);
    expect(toWireError(error)).toMatchObject({ message: error.message, cause: own.message });
  });

  it("is the file's damage where its own numbers lead out of it", async () => {
    const { code, message } = await failureOf(() =>
      failing(new RangeError("Offset is outside the bounds of the DataView")),
    );
    expect([code, message]).toEqual([
      "invalid_input",
      '"a.txt" is damaged: an offset points beyond the end of the file.',
    ]);
  });
});
