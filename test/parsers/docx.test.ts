import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { ZipArchive } from "#dist/parsers/shared/archive/zip-archive.js";
import {
  type DocxSettings,
  makeDocx,
  sourceFile,
  wordLinkedPicture,
  wordParagraph,
  wordTable,
} from "../support/make-files.js";

const parse = (body: string, settings?: DocxSettings, config = {}) =>
  parseDocument(sourceFile("a.docx", makeDocx(body, settings)), { config });

test("headings, paragraphs and tables in order", async () => {
  const body =
    wordParagraph("Title", "Heading1") +
    wordParagraph("Part", "Heading2") +
    wordParagraph("Some text.") +
    wordTable([
      ["a", "b"],
      ["1", "2"],
    ]);
  const { blocks, title, metadata, pages } = await parse(body, { title: "From properties", author: "Zoë" });
  expect(blocks.map((block) => [block.kind, block.text, block.headingPath])).toEqual([
    ["heading", "Title", []],
    ["heading", "Part", ["Title"]],
    ["paragraph", "Some text.", ["Title", "Part"]],
    ["table", "| a | b |\n| --- | --- |\n| 1 | 2 |", ["Title", "Part"]],
  ]);
  expect({ title, metadata, pages }).toEqual({ title: "From properties", metadata: { author: "Zoë" }, pages: null });
});

test("formulas are text", async () => {
  const formula =
    "<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>";
  const { blocks } = await parse(`<w:p><w:r><w:t xml:space="preserve">Mean: </w:t></w:r>${formula}</w:p>`);
  expect(blocks[0]!.text).toBe("Mean: (a+b)/(2)");
});

test("page headers and footers are there when they are asked for", async () => {
  const parts = {
    "word/header1.xml": `<w:hdr>${wordParagraph("Confidential")}</w:hdr>`,
    "word/footer1.xml": `<w:ftr>${wordParagraph("Imprint &amp; more")}</w:ftr>`,
  };
  const texts = async (config: object) =>
    (await parse(wordParagraph("Body"), { parts }, config)).blocks.map((block) => block.text);
  expect(await texts({})).toEqual(["Body"]);
  expect(await texts({ keepPageheaderInOutput: true, keepPagefooterInOutput: true })).toEqual([
    "Confidential",
    "Body",
    "Imprint & more",
  ]);
});

describe("hostile documents", () => {
  test("a linked picture is not fetched from the disk", async () => {
    const settings = { pictureTarget: "file:///etc/passwd" };
    const { blocks } = await parse(wordParagraph("Text") + wordLinkedPicture("A picture"), settings);
    expect(JSON.stringify(blocks)).not.toMatch(/root:|base64/);
    expect(blocks.map((block) => block.text)).toEqual(["Text", "A picture"]);
  });

  test("an image without a description gives a warning", async () => {
    const { warnings } = await parse(wordParagraph("Text") + wordLinkedPicture(""), {
      pictureTarget: "file:///etc/passwd",
    });
    expect(warnings).toEqual(["An image without a description could not be read."]);
  });

  test("a part that inflates beyond the limit is refused", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`word/p${i}.xml`, new Uint8Array(7.9 * 1024 * 1024)]),
    );
    const bomb = zipSync({ "word/document.xml": new Uint8Array(10), ...pages }, { level: 1 });
    await expect(parseDocument(sourceFile("bomb.docx", bomb))).rejects.toMatchObject({
      code: "limit_exceeded",
      message: expect.stringMatching(/inflates to more than the 300 MB/),
    });
  });

  test("a part that inflates to many times its size is refused", async () => {
    const parts = { "word/media/blank.bmp": new Uint8Array(9 * 1024 * 1024) };
    const error = {
      code: "limit_exceeded",
      message: expect.stringMatching(/"word\/media\/blank.bmp" that inflates to more than 200 times/),
    };
    await expect(parse(wordParagraph("Text"), { parts })).rejects.toMatchObject(error);
  });

  test("what a part declares of its size is not believed", () => {
    const zip = Buffer.from(zipSync({ "a.txt": new Uint8Array(100_000) }));
    zip.writeUInt32LE(10, zip.indexOf(Buffer.from("PK\x01\x02", "latin1")) + 24);
    const archive = new ZipArchive("a.zip", zip, { maxInflatedBytes: 50_000, maxArchiveEntries: 10 });
    expect(() => archive.read("a.txt")).toThrow(/inflates to more/);
  });

  test("names that leave the archive cannot be read", () => {
    const archive = new ZipArchive(
      "a.zip",
      zipSync({
        "../evil": new Uint8Array(1),
        "/abs": new Uint8Array(1),
        "a\\..\\b": new Uint8Array(1),
        ok: new Uint8Array(1),
      }),
      { maxInflatedBytes: 10, maxArchiveEntries: 10 },
    );
    expect(archive.names).toEqual(["ok"]);
  });

  test("separators of Windows are read as those of archives", () => {
    const archive = new ZipArchive("a.zip", zipSync({ "word\\a.xml": new Uint8Array(1) }));
    expect(archive.names).toEqual(["word/a.xml"]);
    expect(archive.read("word/a.xml")).toHaveLength(1);
  });

  test("more parts than allowed are refused", () => {
    const parts = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`p${i}`, new Uint8Array(1)]));
    expect(() => new ZipArchive("a.zip", zipSync(parts), { maxInflatedBytes: 100, maxArchiveEntries: 10 })).toThrow(
      /has 11 parts/,
    );
  });

  test("damaged data is refused", async () => {
    const docx = Buffer.from(makeDocx(wordParagraph("Some text. ".repeat(50))));
    const at = docx.indexOf("word/document.xml") + 60;
    docx.fill(0x55, at, at + 40);
    await expect(parseDocument(sourceFile("a.docx", docx))).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/is damaged|cannot be read/),
    });
  });

  test("markup nested without end is refused or read, and ends", async () => {
    const body =
      "<w:sdt><w:sdtContent>".repeat(20_000) + wordParagraph("deep") + "</w:sdtContent></w:sdt>".repeat(20_000);
    const outcome = await parse(body).catch((error: Error) => error);
    expect(outcome).toMatchObject(
      outcome instanceof Error ? { code: "invalid_input" } : { blocks: [{ text: "deep" }] },
    );
  });
});
