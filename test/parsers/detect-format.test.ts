import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import type { Parser } from "../../src/interfaces/parser.js";
import {
  makeDocx,
  makeEncryptedOffice,
  makeEncryptedPdf,
  makePdf,
  sourceFile,
  wordParagraph,
} from "../support/make-files.js";

const PAGE = "<!doctype html><title>T</title><p>Body";
const HEIC = Buffer.from("0000001866747970686569630000000068656963", "hex");
const pdf = await makePdf([[{ text: "Inside a PDF", x: 50, y: 100 }]]);
const lockedPdf = await makeEncryptedPdf();
const docx = makeDocx(wordParagraph("Inside a DOCX"));

describe("what a file really is", () => {
  test.each([
    ["a.pdf", pdf, "application/pdf"],
    ["a", pdf, "application/pdf"],
    ["a", docx, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["a.html", "just words", "text/html"],
    ["a.txt", PAGE, "text/plain"],
    ["a.md", '{"a": 1}', "text/markdown"],
    ["a.tsv", "a\tb\n1\t2", "text/tab-separated-values"],
    ["a.jsonl", '{"a": 1}\n{"a": 2}', "application/x-ndjson"],
    [null, PAGE, "text/html"],
    [null, '{"a": [1, 2]}', "application/json"],
    [null, "plain words", "text/plain"],
    ["notes.unknown", "plain words", "text/plain"],
  ])("%s is read as such", async (name, content, mimeType) => {
    const parsed = await parseDocument(sourceFile(name, content));
    expect(parsed).toMatchObject({ mimeType, warnings: [] });
  });

  test.each([
    ["a.docx", pdf, "application/pdf", '"a.docx" is not what its name says: it is a PDF and was read as such.'],
    ["a.pdf", PAGE, "text/html", '"a.pdf" is not what its name says: it is HTML text and was read as such.'],
    ["a.pdf", "plain words", "text/plain", '"a.pdf" is not what its name says: it is plain text and was read as such.'],
    ["a.json", PAGE, "text/html", '"a.json" is not what its name says: it is HTML text and was read as such.'],
    [
      "a.txt",
      docx,
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      '"a.txt" is not what its name says: it is a Word document and was read as such.',
    ],
  ])("%s under a wrong name is read with a warning", async (name, content, mimeType, warning) => {
    const parsed = await parseDocument(sourceFile(name, content));
    expect(parsed).toMatchObject({ mimeType, warnings: [warning] });
  });

  test("a declared type is believed no more than a name", async () => {
    const parsed = await parseDocument(sourceFile(null, PAGE, "application/json; charset=utf-8"));
    expect(parsed.warnings).toEqual([
      "The file is not what its declared type says: it is HTML text and was read as such.",
    ]);
  });

  test("a parser of the caller's own goes first", async () => {
    const own: Parser = {
      name: "own",
      mimeTypes: ["text/plain"],
      extensions: ["txt"],
      supportedOptions: [],
      parse: async () => ({
        blocks: [],
        title: "own",
        mimeType: "text/plain",
        pages: null,
        metadata: {},
        warnings: [],
      }),
    };
    expect((await parseDocument(sourceFile("a.txt", "x"), {}, [own])).title).toBe("own");
  });
});

describe("files that cannot be read", () => {
  const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256);
  test.each([
    ["empty.pdf", new Uint8Array(), "invalid_input", '"empty.pdf" is empty.'],
    [
      "report.pdf",
      HEIC,
      "invalid_input",
      '"report.pdf" is not in the format that its name or declared type says (PDF): it is a HEIF image.',
    ],
    ["photo.heic", HEIC, "unsupported", '"photo.heic" is a HEIF image, which no parser supports.'],
    ["noise.bin", noise, "unsupported", '"noise.bin" is in an unknown binary format, which no parser supports.'],
    [
      "noise.docx",
      noise,
      "invalid_input",
      '"noise.docx" is not in the format that its name or declared type says (DOCX): it is in an unknown binary format.',
    ],
    ["cut.pdf", pdf.slice(0, pdf.length / 2), "invalid_input", '"cut.pdf" is a truncated PDF: its end is missing.'],
    [
      "cut.docx",
      docx.slice(0, docx.length / 2),
      "invalid_input",
      '"cut.docx" is a truncated or damaged archive: its end is missing.',
    ],
    ["locked.pdf", lockedPdf, "invalid_input", '"locked.pdf" is password-protected.'],
    ["locked.docx", makeEncryptedOffice(), "invalid_input", '"locked.docx" is password-protected.'],
  ])("%s", async (name, content, code, message) => {
    await expect(parseDocument(sourceFile(name, content))).rejects.toMatchObject({ code, message, retryable: false });
  });

  test("a file above 200 MB is refused before it is looked at", async () => {
    const bytes = new Uint8Array(200 * 1024 * 1024 + 1);
    await expect(parseDocument(sourceFile("large.txt", bytes))).rejects.toMatchObject({ code: "limit_exceeded" });
  });
});

describe("switches", () => {
  test("one that is set and not honoured is named in a warning, one that is off is not", async () => {
    const config = {
      forceOcr: true,
      useLlm: false,
      mode: "accurate",
      languageCode: "de",
      disableImageExtraction: true,
    } as const;
    const { warnings } = await parseDocument(sourceFile("a.txt", "x"), { config });
    expect(warnings).toEqual([
      "The text parser does not support forceOcr.",
      'The text parser does not support languageCode "de".',
      'The text parser does not support mode "accurate".',
    ]);
  });

  test("page headers and footers are left out unless they are asked for", async () => {
    const page = "<header>Site</header><main><p>Body</p></main><footer>Imprint</footer>";
    const texts = async (config: object) =>
      (await parseDocument(sourceFile("a.html", page), { config })).blocks.map((block) => block.text);
    expect(await texts({})).toEqual(["Body"]);
    expect(await texts({ keepPageheaderInOutput: true })).toEqual(["Site", "Body"]);
    expect(await texts({ keepPagefooterInOutput: true })).toEqual(["Body", "Imprint"]);
  });

  test("a document without text is told", async () => {
    expect((await parseDocument(sourceFile("a.html", "<p></p>"))).warnings).toEqual(["The document has no text."]);
    const { warnings } = await parseDocument(sourceFile("scan.pdf", await makePdf([[]])));
    expect(warnings).toEqual(["The document has no text."]);
  });

  test("an aborted call ends", async () => {
    await expect(parseDocument(sourceFile("a.txt", "x"), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
