import type { ParserSample } from "../../src/testing/parser-contract.js";
import { makeEpub, makeOdf } from "./make-archives.js";
import {
  makeDocx,
  makeMsg,
  makeNotebook,
  makePdf,
  pdfLines,
  sourceFile,
  wordParagraph,
  wordTable,
} from "./make-files.js";
import { makeDoc, makePpt, makeXls, xlsCell } from "./make-legacy-office.js";
import { makePptx, makeXlsx, slideShape } from "./make-office.js";
import { drawPage, makePng } from "./make-pictures.js";

const page = await drawPage(
  await makePdf([pdfLines(["Words on a picture,", "and some more of them."], 50, 60, 14)]),
  80,
);
/** The upper part of a page, since the rest takes time to look at. */
const PICTURE = makePng({ ...page, height: 130, grey: page.grey.subarray(0, page.width * 130) });

/** A small good file for each built-in parser, by its name, and what is to be found in it. */
export const PARSER_SAMPLES: Readonly<Record<string, ParserSample>> = {
  text: { file: sourceFile("a.txt", "First paragraph.\n\nSecond one."), contains: ["First paragraph.", "Second one."] },
  markdown: {
    file: sourceFile("a.md", "# Title\n\nText.\n\n- item\n\n| a | b |\n| - | - |\n| 1 | 2 |"),
    contains: ["Title", "Text.", "item", "| 1 | 2 |"],
  },
  html: {
    file: sourceFile("a.html", "<h1>Title</h1><p>Text.<ul><li>item</ul><table><tr><th>a<th>b<tr><td>1<td>2</table>"),
    contains: ["Title", "Text.", "item", "| 1 | 2 |"],
  },
  eml: {
    file: sourceFile("a.eml", "From: Zoë <zoe@example.com>\nSubject: Plan\nDate: today\n\nText of the message.\n"),
    contains: ["Plan", "From: Zoë <zoe@example.com>", "Text of the message."],
  },
  msg: {
    file: sourceFile(
      "a.msg",
      makeMsg({ subject: "Plan", sender: "Zoë", to: [{ name: "Al", email: "al@example.com" }], body: "Text." }),
    ),
    contains: ["Plan", "From: Zoë", "Text."],
  },
  ipynb: {
    file: sourceFile("a.ipynb", makeNotebook([{ cell_type: "markdown", source: ["# Title\n", "Text."] }])),
    contains: ["Title", "Text."],
  },
  subtitles: {
    file: sourceFile("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHello there.\n"),
    contains: ["[00:01] Hello there."],
  },
  xml: { file: sourceFile("a.xml", "<a><b>one</b><c>two</c></a>"), contains: ["b: one", "c: two"] },
  rst: { file: sourceFile("a.rst", "Title\n=====\n\nText.\n\n- item\n"), contains: ["Title", "Text.", "item"] },
  org: { file: sourceFile("a.org", "* Title\nText.\n- item\n"), contains: ["Title", "Text.", "item"] },
  asciidoc: {
    file: sourceFile(
      "a.adoc",
      "= Title\n\nText.\n\n* item\n- nested\n\nterm::\nother:: meaning\n\nifdef::none[Hidden.]\n",
    ),
    contains: ["Title", "Text.", "item", "nested", "term, other: meaning"],
  },
  latex: {
    file: sourceFile("a.tex", "\\section{Title}\nText.\n\\begin{itemize}\\item item\\end{itemize}\n"),
    contains: ["Title", "Text.", "item"],
  },
  csv: { file: sourceFile("a.csv", "name,value\none,1\n"), contains: ["name", "one"] },
  json: {
    file: sourceFile("a.json", '{"name": "thing", "parts": {"first": {"size": 1}}}'),
    contains: ["name: thing", "parts", "first", "size: 1"],
  },
  pdf: {
    file: sourceFile(
      "a.pdf",
      await makePdf([
        [
          { text: "Report", x: 50, y: 80, size: 20 },
          ...pdfLines(["This is the text of the report,", "which has two lines."], 50, 120),
        ],
      ]),
    ),
    contains: ["Report", "This is the text of the report, which has two lines."],
  },
  pptx: {
    file: sourceFile(
      "a.pptx",
      makePptx([slideShape(["Title"], { placeholder: "title" }) + slideShape(["Text."]), slideShape(["More."])]),
    ),
    contains: ["Title", "Text.", "More."],
  },
  xlsx: {
    file: sourceFile(
      "a.xlsx",
      makeXlsx([
        {
          name: "Prices",
          rows: [
            ["a", "b"],
            ["one", 2],
          ],
        },
      ]),
    ),
    contains: ["Prices", "| one | 2 |"],
  },
  docx: {
    file: sourceFile(
      "a.docx",
      makeDocx(
        wordParagraph("Title", "Heading1") +
          wordParagraph("Text.") +
          wordTable([
            ["a", "b"],
            ["1", "2"],
          ]),
      ),
    ),
    contains: ["Title", "Text.", "| 1 | 2 |"],
  },
  odf: {
    file: sourceFile(
      "a.odt",
      makeOdf(
        "text",
        '<text:h text:outline-level="1">Title</text:h><text:p>Text.</text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>',
      ),
    ),
    contains: ["Title", "Text.", "item"],
  },
  epub: {
    file: sourceFile("a.epub", makeEpub({ "a.xhtml": "<h1>Title</h1><p>Text.</p>", "b.xhtml": "<p>More.</p>" })),
    contains: ["Title", "Text.", "More."],
  },
  fb2: {
    file: sourceFile("a.fb2", "<FictionBook><body><title><p>Title</p></title><p>Text.</p></body></FictionBook>"),
    contains: ["Title", "Text."],
  },
  image: { file: sourceFile("a.png", PICTURE), contains: ["Words on a picture", "some more of them"] },
  rtf: {
    file: sourceFile(
      "a.rtf",
      "{\\rtf1\\ansi\\pard\\outlinelevel0 Title\\par\\pard Text.\\par\\trowd\\cellx1\\cellx2\\intbl 1\\cell 2\\cell\\row}",
    ),
    contains: ["Title", "Text.", "| 1 | 2 |"],
  },
  doc: { file: sourceFile("a.doc", makeDoc("Text.\r", "a\x07b\x07\x07")), contains: ["Text.", "| a | b |"] },
  xls: {
    file: sourceFile("a.xls", makeXls({ Data: [xlsCell.shared(0, 0, 0), xlsCell.packed(0, 1, 7)] }, ["name"])),
    contains: ["Data", "| name | 7 |"],
  },
  ppt: { file: sourceFile("a.ppt", makePpt([{ title: "Title", body: ["Text."] }])), contains: ["Title", "Text."] },
};
