import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { makeDocx, sourceFile } from "../support/make-files.js";

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

const level = (at: number, format: string, pattern: string) =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${pattern}"/></w:lvl>`;
const list = (id: number, levels: string) => `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
const number = (id: number, family: number, override = "") =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${family}"/>${override}</w:num>`;

const NUMBERING = `<w:numbering ${W}>${list(
  0,
  level(0, "decimal", "%1.") + level(1, "lowerLetter", "%2)") + level(2, "lowerRoman", "(%3)"),
)}${list(1, level(0, "upperRoman", "Part %1") + level(1, "decimal", "%1.%2"))}${list(2, level(0, "bullet", "•"))}${
  number(1, 0) +
  number(2, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>') +
  number(3, 1) +
  number(4, 2)
}</w:numbering>`;

const STYLES = `<w:styles ${W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Heading1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/></w:style></w:styles>`;

const RELATIONSHIPS = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="${OFFICE}/styles" Target="styles.xml"/><Relationship Id="n" Type="${OFFICE}/numbering" Target="numbering.xml"/></Relationships>`;

const run = (text: string) => (text === "" ? "" : `<w:r><w:t>${text}</w:t></w:r>`);
const item = (text: string, numId: number, at = 0, more = "") =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${numId}"/></w:numPr>${more}</w:pPr>${run(text)}</w:p>`;
const styled = (text: string, style: string, more = "") =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/>${more}</w:pPr>${run(text)}</w:p>`;

const blocksOf = async (body: string) => {
  const parts = {
    "word/numbering.xml": NUMBERING,
    "word/styles.xml": STYLES,
    "word/_rels/document.xml.rels": RELATIONSHIPS,
  };
  return (await parseDocument(sourceFile("a.docx", makeDocx(body, { parts })))).blocks;
};
const markersOf = async (body: string) =>
  (await blocksOf(body)).map((block) => [block.kind, block.level, block.marker, block.text]);

test("list items carry the numbers that Word prints, on every level", async () => {
  const body = item("a", 1) + item("b", 1, 1) + item("c", 1, 1) + item("d", 1, 2) + item("e", 1) + item("f", 1, 1);
  expect(await markersOf(body)).toEqual([
    ["list_item", 1, "1.", "a"],
    ["list_item", 2, "a)", "b"],
    ["list_item", 2, "b)", "c"],
    ["list_item", 3, "(i)", "d"],
    ["list_item", 1, "2.", "e"],
    ["list_item", 2, "a)", "f"],
  ]);
});

test("letters are repeated after z", async () => {
  const body = item("a", 1) + item("b", 1, 1).repeat(28);
  expect((await markersOf(body)).slice(-4).map(([, , marker]) => marker)).toEqual(["y)", "z)", "aa)", "bb)"]);
});

test("a list counts on after what interrupts it, and begins anew where it says so", async () => {
  const body = item("a", 1) + item("dot", 4) + styled("text", "Clause") + item("b", 1) + item("c", 2) + item("d", 2);
  expect((await markersOf(body)).map(([, , marker]) => marker)).toEqual(["1.", undefined, undefined, "2.", "5.", "6."]);
});

test("headings begin with their number, which their style may count", async () => {
  const body =
    styled("Scope", "Heading1") + styled("Terms", "Heading2") + styled("", "Heading2") + styled("End", "Heading2");
  expect((await blocksOf(body)).map((block) => [block.kind, block.text])).toEqual([
    ["heading", "Part I Scope"],
    ["heading", "I.1 Terms"],
    // An empty paragraph is counted as well, and shows nothing.
    ["heading", "I.3 End"],
  ]);
});

test("a paragraph may leave the numbering of its style", async () => {
  const body = styled("Preface", "Heading1", '<w:numPr><w:numId w:val="0"/></w:numPr>') + styled("Scope", "Heading1");
  expect((await blocksOf(body)).map((block) => block.text)).toEqual(["Preface", "Part I Scope"]);
});

test("what the numbering was before a tracked change doesn't count", async () => {
  const change = `<w:pPrChange><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:pPrChange>`;
  expect((await markersOf(item("a", 1, 0, change) + item("b", 1))).map(([, , marker]) => marker)).toEqual(["1.", "2."]);
});
