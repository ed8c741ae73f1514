import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { type EpubSettings, makeEpub, makeZip } from "../support/make-archives.js";
import { sourceFile } from "../support/make-files.js";

const epub = (documents: Record<string, string>, settings?: EpubSettings) =>
  parseDocument(sourceFile("a.epub", makeEpub(documents, settings)));
const texts = async (documents: Record<string, string>, settings?: EpubSettings) =>
  (await epub(documents, settings)).blocks.map(({ kind, text }) => `${kind}: ${text}`);

describe("EPUB", () => {
  test("documents stand in the order of the spine, those outside of it last, the contents left out", async () => {
    const documents = {
      "nav.xhtml": "<nav><ol><li><a href='b.xhtml'>Chapter</a></li></ol></nav>",
      "answers.xhtml": "<p>Answers</p>",
      "chapter one.xhtml": "<h1>Chapter</h1><p>Text</p>",
    };
    const settings = { properties: { "nav.xhtml": "nav" }, reference: { "answers.xhtml": 'linear="no"' } };
    expect(await texts(documents, settings)).toEqual(["heading: Chapter", "paragraph: Text", "paragraph: Answers"]);
  });

  test("empty elements, CDATA and notes of XHTML", async () => {
    const document = `<p><a id="x"/>One<span/> two</p><div/><p><![CDATA[1 < 2]]></p><aside epub:type="footnote"><p>Aside.</p></aside><p>End</p>`;
    expect(await texts({ "a.xhtml": document })).toEqual([
      "paragraph: One two",
      "paragraph: 1 < 2",
      "note: Aside.",
      "paragraph: End",
    ]);
  });

  test("metadata", async () => {
    const metadata =
      "<dc:title>Book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:language>de</dc:language>";
    const { title, metadata: found, pages } = await epub({ "a.xhtml": "<p>x</p>" }, { metadata });
    expect([title, found, pages]).toEqual(["Book", { author: "Ann, Bob", language: "de" }, null]);
  });

  test("protected books are refused, scrambled fonts are no protection", async () => {
    const encryption = (algorithm: string) => ({
      "META-INF/encryption.xml": `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData></encryption>`,
    });
    const parts = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc");
    await expect(epub({ "a.xhtml": "<p>x</p>" }, { parts })).rejects.toMatchObject({
      code: "invalid_input",
      message: '"a.epub" is protected by DRM: its content is encrypted.',
    });
    const fonts = { parts: encryption("http://www.idpf.org/2008/embedding") };
    expect(await texts({ "a.xhtml": "<p>x</p>" }, fonts)).toEqual(["paragraph: x"]);
  });

  test("a book without documents is refused", async () => {
    await expect(epub({})).rejects.toMatchObject({ code: "invalid_input" });
  });
});

const BOOK = `<?xml version="1.0" encoding="windows-1251"?><FictionBook xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><book-title>Книга</book-title><author><first-name>Anna</first-name><last-name>K</last-name></author><lang>ru</lang></title-info></description><body><title><p>Книга</p></title><section><title><p>One</p><p>more</p></title><p>Text<a l:href="#n1" type="note">[1]</a></p><subtitle>* * *</subtitle><poem><stanza><v>a</v><v>b</v></stanza></poem><p><code>x = 1</code></p><p><code>y = 2</code></p><table><tr><th>h</th><th>i</th></tr><tr><td>1</td><td>2</td></tr></table></section></body><body name="notes"><section id="n1"><title><p>1</p></title><p>Note.</p></section></body></FictionBook>`;

describe("FictionBook", () => {
  const expected = [
    "heading1: Книга",
    "heading2: One more",
    "paragraph: Text[1]",
    "paragraph: * * *",
    "paragraph: a\nb",
    "code: x = 1\ny = 2",
    "table: | h | i |\n| --- | --- |\n| 1 | 2 |",
    "note: [1] Note.",
  ];
  /** Windows-1251 has the Cyrillic letters in order from 0xC0. */
  const bytes = Uint8Array.from([...BOOK], (char) => {
    const code = char.codePointAt(0)!;
    return code >= 0x410 ? code - 0x410 + 0xc0 : code;
  });
  const lines = async (name: string, file: Uint8Array) => {
    const { blocks, title, metadata } = await parseDocument(sourceFile(name, file));
    expect([title, metadata]).toEqual(["Книга", { author: "Anna K", language: "ru" }]);
    return blocks.map(({ kind, level, text }) => `${kind}${level ?? ""}: ${text}`);
  };

  test("sections, poems, code, tables and notes, in its own charset", async () => {
    expect(await lines("a.fb2", bytes)).toEqual(expected);
  });

  test("zipped", async () => {
    expect(await lines("a.fb2.zip", makeZip({ "a.fb2": bytes }))).toEqual(expected);
  });

  test("one that breaks off is refused", async () => {
    await expect(parseDocument(sourceFile("a.fb2", bytes.slice(0, 600)))).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});
