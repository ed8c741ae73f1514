import { PDFDocument } from "pdf-lib";
import { expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { sourceFile } from "../support/make-files.js";
import { makeXfaPdf } from "../support/make-xfa-pdf.js";

const field = (name: string, caption: string, ui: string, more = "") =>
  `<field name="${name}" w="80mm" h="9mm"><ui>${ui}</ui><caption reserve="30mm"><value><text>${caption}</text></value></caption>${more}</field>`;
const draw = (text: string, more = "") => `<draw w="150mm" h="8mm" ${more}><value><text>${text}</text></value></draw>`;
const choices =
  '<items><text>Sailing boat</text><text>Motor boat</text></items><items save="1" presence="hidden"><text>s</text><text>m</text></items>';
const radio = (name: string, caption: string) =>
  `<field name="${name}" w="40mm" h="8mm"><ui><checkButton shape="round"/></ui><caption placement="right" reserve="30mm"><value><text>${caption}</text></value></caption><items><text>${name}</text></items></field>`;
const row = '<subform layout="row" name="Row"><occur min="0" max="-1"/>';

const UNREAD = "The document is a form in XFA that could not be read; only its pages were.";

const FORM = `<subform name="body" layout="tb" w="190mm">
<draw w="150mm" h="9mm"><font size="18pt" typeface="Arial"/><value><text>Application for a berth</text></value></draw>
${draw("Fill in all fields. The harbour answers within two weeks.")}
<subform name="who" layout="lr-tb" w="190mm">
${field("Name", "Full name", "<textEdit/>")}${field("Kind", "Kind of boat", "<choiceList/>", choices)}
${field("Member", "Member of the club", "<checkButton/>", "<items><text>1</text><text>0</text></items>")}
${field("Empty", "Left empty", "<textEdit/>")}
</subform>
<exclGroup name="Pay" layout="tb">${radio("card", "By card")}${radio("cash", "In cash")}</exclGroup>
<subform name="Placed" w="190mm" h="30mm">${draw("below", 'x="5mm" y="15mm"')}${draw("right", 'x="90mm" y="1.57mm"')}${draw("left", 'x="5mm" y="1.6mm"')}</subform>
<subform name="T" layout="table" columnWidths="40mm 40mm">
<subform layout="row"><draw><value><text>Port</text></value></draw><draw><value><text>Nights</text></value></draw></subform>
${row}<field name="Port"><ui><textEdit/></ui></field><field name="Nights"><ui><numericEdit/></ui></field></subform></subform>
<field name="Notes" w="150mm" h="20mm"><ui><textEdit multiLine="1"/></ui><caption placement="top" reserve="6mm"><value><text>Remarks</text></value></caption></field>
</subform>`;
const DATA = `<body><who><Name>Ada Lovelace</Name><Kind>m</Kind><Member>1</Member></who><Pay>cash</Pay>
<T><Row><Port>Oban</Port><Nights>3</Nights></Row><Row><Port>Mallaig</Port><Nights>5</Nights></Row></T><Notes>Two dogs on board.
They stay on deck.</Notes></body>`;

test("a form in XFA has its texts, and the values of its fields with their labels", async () => {
  const bytes = await makeXfaPdf(FORM, DATA);
  const { blocks, pages, warnings } = await parseDocument(sourceFile("form.pdf", bytes));
  expect([pages, warnings]).toEqual([1, []]);
  expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ["heading", "Application for a berth"],
    ["paragraph", "Fill in all fields. The harbour answers within two weeks."],
    ["paragraph", "Full name Ada Lovelace"],
    ["paragraph", "Kind of boat Motor boat"],
    ["paragraph", "Member of the club ☒"],
    ["paragraph", "Left empty"],
    ["paragraph", "By card"],
    ["paragraph", "☒ In cash"],
    ["paragraph", "left"],
    ["paragraph", "right"],
    ["paragraph", "below"],
    ["table", "| Port | Nights |\n| --- | --- |\n| Oban | 3 |\n| Mallaig | 5 |"],
    ["paragraph", "Remarks Two dogs on board.\nThey stay on deck."],
  ]);
  expect(new Set(blocks.map(({ page }) => page))).toEqual(new Set([1]));
});

test("a form that cannot be laid out keeps its pages, with a warning; one with fields on them is read from them", async () => {
  const unreadable = await makeXfaPdf("<nothing", "");
  const { blocks, warnings } = await parseDocument(sourceFile("form.pdf", unreadable));
  expect(blocks.map(({ text }) => text)).toEqual(["Please wait..."]);
  expect(warnings).toEqual([UNREAD]);
  const both = await parseDocument(sourceFile("form.pdf", await makeXfaPdf(FORM, DATA, "Grace Hopper")));
  expect(both.blocks.map(({ text }) => text).join(" ")).toContain("Grace Hopper");
  expect(both.warnings).toEqual([]);
});

const CELLS =
  '<field name="Port" h="8mm"><ui><textEdit/></ui></field><field name="Nights" h="8mm"><ui><numericEdit/></ui></field>';

test("a table that continues on the next page is one", async () => {
  const header =
    '<draw h="8mm"><value><text>Port</text></value></draw><draw h="8mm"><value><text>Nights</text></value></draw>';
  const table = `<subform name="T" layout="table" columnWidths="40mm 40mm"><overflow leader="Head"/><subform layout="row" name="Head">${header}</subform>${row}${CELLS}</subform></subform>`;
  const data = Array.from({ length: 40 }, (_, i) => `<Row><Port>P${i}</Port><Nights>${i}</Nights></Row>`);
  const bytes = await makeXfaPdf(table + draw("End"), `<T>${data.join("")}</T>`);
  const { blocks, pages } = await parseDocument(sourceFile("form.pdf", bytes));
  expect([pages, blocks.map(({ kind, page }) => [kind, page])]).toEqual([
    2,
    [
      ["table", 1],
      ["paragraph", 2],
    ],
  ]);
  expect(blocks[0]!.table!.rows.map(([port]) => port)).toEqual(Array.from({ length: 40 }, (_, i) => `P${i}`));
});

const nested = (depth: number) => `${'<subform layout="tb">'.repeat(depth)}${draw("x")}${"</subform>".repeat(depth)}`;
// Each prototype has the one before twice.
const DOUBLED = Array.from({ length: 24 }, (_, i) => {
  return `<subform id="p${i + 1}" layout="tb"><subform use="#p${i}"/><subform use="#p${i}"/></subform>`;
}).join("");
const CHAINED = Array.from({ length: 700 }, (_, i) => {
  return `<subform id="p${i + 1}" layout="tb"><subform use="#p${i}"/></subform>`;
}).join("");

test.each([
  ["is nested too deeply", nested(300)],
  [
    "is nested too deeply by prototypes",
    `<proto><subform id="p0" layout="tb"/>${CHAINED}</proto><subform use="#p700"/>`,
  ],
  ["expands to millions of elements", `<proto><subform id="p0" layout="tb"/>${DOUBLED}</proto><subform use="#p24"/>`],
])("a form that %s keeps its pages, with a warning", async (_, form) => {
  const { blocks, warnings } = await parseDocument(sourceFile("form.pdf", await makeXfaPdf(form, "")));
  expect(blocks.map(({ text }) => text)).toEqual(["Please wait..."]);
  expect(warnings).toEqual([UNREAD]);
});

test("printed pages are kept beside a form", async () => {
  const document = await PDFDocument.load(await makeXfaPdf(draw("Stub"), ""));
  document.addPage([595, 842]).drawText("A printed page of the form that was filled in.", { x: 50, y: 700 });
  const bytes = await document.save({ useObjectStreams: false });
  const { blocks, pages, warnings } = await parseDocument(sourceFile("form.pdf", bytes));
  expect(blocks.map(({ text, page }) => [text, page])).toEqual([
    ["Please wait...", 1],
    ["A printed page of the form that was filled in.", 2],
    ["Stub", undefined],
  ]);
  expect([pages, warnings]).toEqual([2, []]);
});

test("rows with equal cells are all kept where a table continues on the next page", async () => {
  const table = `<subform name="T" layout="table" columnWidths="40mm 40mm">${row}${CELLS}</subform></subform>`;
  const bytes = await makeXfaPdf(table, `<T>${"<Row><Port>yes</Port><Nights>1</Nights></Row>".repeat(40)}</T>`);
  const { blocks, pages } = await parseDocument(sourceFile("form.pdf", bytes));
  expect([pages, blocks.length, blocks[0]!.table!.rows.length]).toEqual([2, 1, 39]);
});

test("text in a table outside of its rows is kept in rows of its own", async () => {
  const section = `<subform layout="tb">${draw("Section")}${field("Name", "Full name", "<textEdit/>")}</subform>`;
  const cells = (a: string, b: string) => `<subform layout="row">${draw(a)}${draw(b)}</subform>`;
  const rows = `${cells("A", "B")}${draw("Direct")}${section}${cells("C", "D")}`;
  const table = `<subform name="T" layout="table" columnWidths="40mm 40mm">${rows}</subform>`;
  const { blocks } = await parseDocument(sourceFile("form.pdf", await makeXfaPdf(table, "")));
  expect(blocks.map(({ text }) => text)).toEqual([
    "| A | B |\n| --- | --- |\n| Direct |\n| Section |\n| Full name |\n| C | D |",
  ]);
});

test("sizes of headings that differ least share a level, if there are more than six", async () => {
  const sizes = [60, 59, 40, 39, 30, 24, 19, 15];
  const titles = sizes.map((size) => draw(`Size ${size}`, "").replace("<value>", `<font size="${size}pt"/><value>`));
  const bytes = await makeXfaPdf(titles.join("") + draw("A long text in the size of most of the form. ".repeat(3)), "");
  const { blocks } = await parseDocument(sourceFile("form.pdf", bytes));
  expect(blocks.flatMap(({ kind, level }) => (kind === "heading" ? [level] : []))).toEqual([1, 1, 2, 2, 3, 4, 5, 6]);
});
