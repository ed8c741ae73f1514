import { PDFDocument, type PDFFont, StandardFonts } from "pdf-lib";
import { makeXlsx } from "../support/make-office.js";
import type { Random } from "./random.js";

type Row = readonly (string | number)[];

export interface TableQuestion {
  readonly text: string;
  readonly file: string;
  /** The cells of the row that answers it. */
  readonly row: readonly string[];
  /** The name of the column that answers it. */
  readonly column: string;
  /** For a PDF, where the row stands. */
  readonly place?: { readonly page: number; readonly top: number; readonly bottom: number };
}

export interface TableCorpus {
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly questions: readonly TableQuestion[];
}

export interface CorpusOptions {
  /** Questions about the workbook, the web page and the PDF. */
  readonly questions: readonly [number, number, number];
  /** Whether the rows of the workbook are in order, so that those with the same words stand together. */
  readonly isSorted: boolean;
}

const REGIONS = ["EMEA", "Americas", "Asia Pacific", "Nordics", "Benelux"];
const SEGMENTS = ["Hardware", "Services", "Licences", "Training"];
const YEARS = Array.from({ length: 10 }, (_, i) => 2015 + i);
const NAMES_FIRST = ["Gull", "Raven", "Seal", "Otter", "Heron", "Tern", "Puffin", "Plover", "Curlew", "Osprey"];
const NAMES_LAST = [
  "Rock", "Point", "Head", "Island", "Skerry", "Ness", "Mole", "Pier", "Bank", "Sound",
  "Reef", "Spit", "Stack", "Haven", "Cliff", "Bar", "Ledge", "Cape", "Shoal", "Holm",
]; // biome-ignore format: a list of words
const PARTS = ["hinge", "bracket", "valve", "coupling", "gasket", "pulley", "lantern", "shackle", "bearing", "washer"];
const METALS = ["Brass", "Steel", "Bronze", "Copper"];
const SIZES = [40, 60, 80, 100, 120];

/** Three tables of 200 rows in a workbook, a web page and a PDF, with texts and a table that use the same words. */
export async function makeTableCorpus(random: Random, options: CorpusOptions): Promise<TableCorpus> {
  const amount = (least: number, most: number): number => random.integer(least, most);
  const revenue: Row[] = YEARS.flatMap((year) =>
    REGIONS.flatMap((region) =>
      SEGMENTS.map((segment) => [
        region,
        year,
        segment,
        amount(10_000, 99_999),
        amount(10_000, 99_999),
        amount(10, 900),
      ]),
    ),
  );
  const results = options.isSorted ? revenue : shuffled(revenue, random);
  const lights: Row[] = NAMES_FIRST.flatMap((first) =>
    NAMES_LAST.map((last) => [
      `${first} ${last}`,
      amount(1700, 1990),
      `${amount(5, 60)} m`,
      `${amount(5, 30)} nm`,
      `Fl W ${amount(2, 30)} s`,
    ]),
  );
  const parts: Row[] = METALS.flatMap((metal) =>
    PARTS.flatMap((part) =>
      SIZES.map((size) => [
        `${metal[0]}${part[0]!.toUpperCase()}-${amount(1000, 9999)}`,
        `${metal} ${part} ${size} mm`,
        amount(0, 900),
        amount(1, 60),
        `${amount(1, 90)}.${amount(10, 99)}`,
      ]),
    ),
  );
  const [sheetCount, pageCount, printCount] = options.questions;
  const pick = (rows: readonly Row[], count: number): Row[] =>
    Array.from({ length: count }, (_, i) => rows[Math.floor(((i + random.next()) * rows.length) / count)]!);
  const cells = (row: Row): string[] => row.map(String);
  const { bytes, places } = await partsPdf(parts);
  const questions: TableQuestion[] = [
    ...pick(revenue, sheetCount).map((row, i) => {
      const [region, year, segment] = row;
      const column = ["Revenue", "Costs", "Staff"][i % 3]!;
      const texts = [
        `${column.toLowerCase()} ${year} ${region} ${segment}`,
        `What were the ${column.toLowerCase()} of ${segment} in ${region} in ${year}?`,
      ];
      return { text: texts[i % 2]!, file: "results.xlsx", row: cells(row), column };
    }),
    ...pick(lights, pageCount).map((row, i) => {
      const texts = [
        `How tall is the light of ${row[0]}?`,
        `${row[0]} height`,
        `What is the height of the lighthouse at ${row[0]}?`,
      ];
      return { text: texts[i % 3]!, file: "lights.html", row: cells(row), column: "Height" };
    }),
    ...pick(parts, printCount).map((row, i) => {
      const texts = [
        `price of ${row[0]}`,
        `What does a ${String(row[1]).toLowerCase()} cost?`,
        `How many of ${row[1]} are in stock?`,
      ];
      const column = i % 3 === 2 ? "Stock" : "Price";
      return { text: texts[i % 3]!, file: "parts.pdf", row: cells(row), column, place: places[parts.indexOf(row)]! };
    }),
  ];
  const workbook = makeXlsx([
    { name: "Notes", rows: [["Revenue and costs in thousands of euros."], ["Staff at the end of the year."]] },
    { name: "Results", rows: [["Region", "Year", "Segment", "Revenue", "Costs", "Staff"], ...results] },
    { name: "Targets", rows: [["Region", "Target"], ...REGIONS.map((region) => [region, amount(10, 99)])] },
  ]);
  return {
    files: [
      { name: "results.xlsx", bytes: workbook },
      { name: "lights.html", bytes: Buffer.from(lightsPage(lights)) },
      { name: "parts.pdf", bytes },
      { name: "report.md", bytes: Buffer.from(REPORT) },
    ],
    questions,
  };
}

const REPORT = `# Annual report

Revenue in EMEA rose in 2023, while costs of services in the Nordics fell. Staff in training was hired in Asia Pacific.

## Lights

The height of a light decides its range. The lighthouse at Gull Rock was raised by two metres.

## Store

Prices of brass hinges and steel brackets went up; bronze valves are in stock again.
`;

function lightsPage(lights: readonly Row[]): string {
  const row = (cells: Row, tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  const head = row(["Name", "Built", "Height", "Range", "Character"], "th");
  return `<html><title>List of lights</title><h1>List of lights</h1><table><caption>Lights of the coast</caption><thead>${head}</thead><tbody>${lights.map((cells) => row(cells, "td")).join("")}</tbody></table></html>`;
}

const LEFT = 60;
const WIDTHS = [80, 190, 70, 70, 70];
const ROW_HEIGHT = 18;
const TOP = 110;
const ROWS_ON_PAGE = 36;

/** A price list with rules, whose header is printed on each page, and where each row stands. */
async function partsPdf(
  rows: readonly Row[],
): Promise<{ bytes: Uint8Array; places: NonNullable<TableQuestion["place"]>[] }> {
  const document = await PDFDocument.create();
  const plain = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const places: NonNullable<TableQuestion["place"]>[] = [];
  for (let from = 0; from < rows.length; from += ROWS_ON_PAGE) {
    const page = document.addPage([595, 842]);
    const text = (content: string, x: number, y: number, font: PDFFont, size = 10): void =>
      page.drawText(content, { x, y: 842 - y, size, font });
    text("Harbour stores", LEFT, 40, plain, 9);
    if (from === 0) text("Price list of parts", LEFT, 80, bold, 18);
    const printed: Row[] = [["Number", "Part", "Stock", "Box", "Price"], ...rows.slice(from, from + ROWS_ON_PAGE)];
    for (const [y, cells] of printed.entries()) {
      let x = LEFT;
      for (const [i, cell] of cells.entries()) {
        text(String(cell), x + 4, TOP + y * ROW_HEIGHT + 13, y === 0 ? bold : plain);
        x += WIDTHS[i]!;
      }
      if (y > 0)
        places.push({ page: from / ROWS_ON_PAGE + 1, top: TOP + y * ROW_HEIGHT, bottom: TOP + (y + 1) * ROW_HEIGHT });
    }
    const bottom = TOP + printed.length * ROW_HEIGHT;
    const right = LEFT + WIDTHS.reduce((sum, width) => sum + width, 0);
    const line = (x: number, y: number, u: number, v: number): void =>
      page.drawLine({ start: { x, y: 842 - y }, end: { x: u, y: 842 - v }, thickness: 0.5 });
    for (let y = 0; y <= printed.length; y++) line(LEFT, TOP + y * ROW_HEIGHT, right, TOP + y * ROW_HEIGHT);
    let x = LEFT;
    for (const width of [0, ...WIDTHS]) {
      x += width;
      line(x, TOP, x, bottom);
    }
    text(`Page ${from / ROWS_ON_PAGE + 1}`, 280, 810, plain, 9);
  }
  return { bytes: await document.save({ useObjectStreams: false }), places };
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const keyed = items.map((item) => ({ item, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
