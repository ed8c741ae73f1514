import type { PDFDocumentProxy } from "pdfjs-dist";
import type { ParsedDocument, SourceFile } from "../../interfaces/parser.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { assertPageCount } from "../shared/errors/page-count.js";
import { openPdf } from "./pdfjs/open-pdf.js";

/** An element of a page of a form, as pdfjs lays it out: the same as HTML, with classes that tell what it is. */
interface XfaElement {
  readonly name?: string;
  readonly value?: string;
  readonly attributes?: {
    readonly class?: readonly string[];
    /** Equal for the parts of an element on several pages. */
    readonly id?: string;
    readonly style?: Readonly<Record<string, string | undefined>>;
    readonly type?: string;
    readonly value?: string;
    readonly textContent?: string;
    readonly checked?: boolean;
    readonly selected?: boolean;
  };
  readonly children?: readonly (XfaElement | null)[];
}

/** A page with more characters has content; requests to wait have a few hundred in each of some languages. */
const MAX_WAIT_CHARACTERS = 3000;
/** Elements that begin and end a line. */
const LINE_ELEMENTS = new Set(["p", "div", "li", "br"]);
/** Text of more than this multiple of the form's typical font size is a heading, unless it is longer than a title. */
const HEADING_SIZE_RATIO = 1.25;
const MAX_HEADING_CHARACTERS = 200;
const MAX_LEVEL = 6;
/** The font size of XFA where a template gives none. */
const DEFAULT_FONT_SIZE = 10;
/** Elements whose upper edges differ by less, in pixels, are on one line. */
const LINE_TOLERANCE = 4;

/** Whether a document has a form in XFA and no fields on its pages. */
export async function isXfaForm(document: PDFDocumentProxy): Promise<boolean> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const { IsXFAPresent, IsAcroFormPresent } = info as Readonly<Record<string, unknown>>;
  return IsXFAPresent === true && IsAcroFormPresent !== true;
}

/** Whether the pages of such a document are one that can only ask the reader to wait, so that the form is all of it. */
export async function isWaitPage(document: PDFDocumentProxy): Promise<boolean> {
  if (document.numPages > 1) return false;
  const page = await document.getPage(1).catch(() => null);
  // A damaged page has nothing to keep.
  const items = (await page?.getTextContent().catch(() => null))?.items ?? [];
  const length = items.reduce((sum, item) => sum + ("str" in item ? item.str.length : 0), 0);
  return length <= MAX_WAIT_CHARACTERS;
}

/** Reads the texts of a form and its fields, each with its label, value and page; `null` if it can't be laid out. */
export async function readXfaForm(
  file: SourceFile,
  signal: AbortSignal | undefined,
): Promise<Pick<ParsedDocument, "blocks" | "pages" | "warnings"> | null> {
  // pdfjs fails with various errors on forms that it can't lay out.
  const opened = await openPdf(file.name, file.bytes, true).catch(() => null);
  if (opened === null) return null;
  const { document, close } = opened;
  try {
    if (!document.isPureXfa) return null;
    assertPageCount(file.name, document.numPages, "pages");
    const list = new BlockList();
    await addForm(list, document, signal);
    return list.blocks.length === 0 ? null : { blocks: list.blocks, pages: document.numPages, warnings: [] };
  } finally {
    await close();
  }
}

async function addForm(list: BlockList, document: PDFDocumentProxy, signal: AbortSignal | undefined): Promise<void> {
  const parts: FormPart[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    signal?.throwIfAborted();
    const page = await document.getPage(number);
    addParts(parts, (await page.getXfa()) as XfaElement | null, number);
    page.cleanup();
  }
  const headingLevels = headingLevelsOf(parts);
  for (const part of parts) {
    const { page } = part;
    if (part.kind === "table") {
      const [header = [], ...rows] = part.rows.map(({ cells }) => cells);
      list.table(header, rows, { page });
    } else {
      const level = part.isField ? 0 : (headingLevels.get(part.size) ?? 0);
      if (level > 0 && part.text.length <= MAX_HEADING_CHARACTERS) list.heading(level, part.text, { page });
      else list.add("paragraph", part.text, { page });
    }
  }
}

/** Returns the level of headings of each font size that is larger than that of most text: 1 for the largest, up to 6. */
function headingLevelsOf(parts: readonly FormPart[]): ReadonlyMap<number, number> {
  const lengths = new Map<number, number>();
  for (const part of parts)
    if (part.kind === "text") lengths.set(part.size, (lengths.get(part.size) ?? 0) + part.text.length);
  const [[typical] = [0]] = [...lengths].sort(([, a], [, b]) => b - a);
  const sizes = [...lengths.keys()].filter((size) => size > typical * HEADING_SIZE_RATIO).sort((a, b) => b - a);
  // A level begins where the sizes differ most.
  const ratios = sizes.slice(1).map((size, i) => ({ size, ratio: sizes[i]! / size }));
  const widest = ratios.sort((a, b) => b.ratio - a.ratio).slice(0, MAX_LEVEL - 1);
  return new Map(sizes.map((size) => [size, 1 + widest.filter((each) => each.size >= size).length]));
}

type FormPart =
  | {
      readonly kind: "text";
      readonly page: number;
      readonly text: string;
      readonly size: number;
      readonly isField: boolean;
    }
  | { readonly kind: "table"; readonly page: number; readonly id: string; readonly rows: FormRow[] };

interface FormRow {
  /** The element of the row; empty if unknown. */
  readonly id: string;
  readonly cells: readonly string[];
}

function addParts(parts: FormPart[], element: XfaElement | null, page: number): void {
  if (element === null || isHidden(element)) return;
  if (hasClass(element, "xfaTable")) addTable(parts, element, page);
  else if (isText(element)) {
    const text = textOfPart(element);
    const isField = hasClass(element, "xfaField");
    if (text !== "") parts.push({ kind: "text", page, text, size: fontSizeOf(element), isField });
  } else for (const child of inOrder(element.children ?? [])) addParts(parts, child, page);
}

/** Adds a table, or its rows on a further page to those of the pages before, without those that are repeated there. */
function addTable(parts: FormPart[], table: XfaElement, page: number): void {
  const rows = rowsOf(table);
  const id = table.attributes?.id ?? "";
  const begun = parts.findLast((part) => part.kind === "table" && part.id === id && part.page < page);
  if (id === "" || begun?.kind !== "table") parts.push({ kind: "table", page, id, rows });
  else {
    // The parts of a row that is split between pages have one ID as well, but differ in their cells.
    const keyOf = (row: FormRow) => [row.id, ...row.cells].join("\n");
    const known = new Set(begun.rows.map(keyOf));
    for (const row of rows) if (row.id === "" || !known.has(keyOf(row))) begun.rows.push(row);
  }
}

/** Sorts elements that have a place from top to bottom and left to right; the file has them in any order. */
function inOrder(children: readonly (XfaElement | null)[]): readonly (XfaElement | null)[] {
  const placed = children.map((element) => ({
    element,
    left: pixelsOf(element, "left"),
    top: pixelsOf(element, "top"),
  }));
  if (placed.some(({ left, top }) => left === null || top === null)) return children;
  const lines: (typeof placed)[] = [];
  for (const each of placed.sort((a, b) => a.top! - b.top!)) {
    const line = lines.at(-1);
    if (line !== undefined && each.top! - line[0]!.top! < LINE_TOLERANCE) line.push(each);
    else lines.push([each]);
  }
  return lines.flatMap((line) => line.sort((a, b) => a.left! - b.left!).map(({ element }) => element));
}

/** Returns the rows of a table; text of it outside of rows is rows of one cell. */
function rowsOf(element: XfaElement): FormRow[] {
  const id = element.attributes?.id ?? "";
  if (hasClass(element, "xfaRow")) return [{ id, cells: cellsOf(element) }];
  if (isText(element)) {
    const text = textOfPart(element);
    return text === "" ? [] : [{ id, cells: [text] }];
  }
  return inOrder(element.children ?? []).flatMap((child) => (child === null || isHidden(child) ? [] : rowsOf(child)));
}

function cellsOf(row: XfaElement): string[] {
  return (row.children ?? []).flatMap((child) => {
    if (child === null || isHidden(child)) return [];
    const isCell = ["xfaField", "xfaDraw", "xfaSubform", "xfaExclgroup"].some((name) => hasClass(child, name));
    return isCell ? [textOf(child)] : cellsOf(child);
  });
}

function isText(element: XfaElement): boolean {
  return hasClass(element, "xfaField") || hasClass(element, "xfaDraw");
}

function textOfPart(element: XfaElement): string {
  return hasClass(element, "xfaField") ? fieldText(element) : textOf(element);
}

/** Returns the label of a field and its value, in the order in which they are displayed. */
function fieldText(field: XfaElement): string {
  const label = find(field, (element) => hasClass(element, "xfaLabel"));
  const caption = label && find(label, ({ attributes }) => attributes?.class?.[0]?.startsWith("xfaCaption") === true);
  if (!label || !caption) return textOf(field);
  const value = (label.children ?? []).filter((child) => child !== caption).map(textOf);
  const parts = [textOf(caption), ...value];
  const isCaptionLast = hasClass(label, "xfaRight") || hasClass(label, "xfaBottom");
  return (isCaptionLast ? parts.reverse() : parts).filter((part) => part !== "").join(" ");
}

/** Returns the text and the values of fields in an element, with lines as they are in the file. */
function textOf(element: XfaElement | null): string {
  let text = "";
  const walk = (each: XfaElement | null): void => {
    if (each === null || isHidden(each)) return;
    const breaks = LINE_ELEMENTS.has(each.name ?? "") && text !== "" && !text.endsWith("\n");
    if (breaks) text += "\n";
    text += inputValue(each) ?? each.value ?? "";
    if (each.name !== "select") for (const child of each.children ?? []) walk(child);
    if (breaks) text += "\n";
  };
  walk(element);
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n")
    .trim();
}

/** Returns the value of an input; `null` for other elements. */
function inputValue({ name, attributes = {}, children = [] }: XfaElement): string | null {
  const { type, value = "", checked, textContent = "" } = attributes;
  if (name === "textarea") return textContent;
  if (name === "select")
    return children.flatMap((option) => (option?.attributes?.selected === true ? (option.value ?? []) : [])).join(", ");
  if (name !== "input") return null;
  if (type === "checkbox" || type === "radio") return checked === true ? "☒" : "";
  return value;
}

function find(element: XfaElement, matches: (element: XfaElement) => boolean): XfaElement | undefined {
  for (const child of element.children ?? []) {
    const found = child === null ? undefined : matches(child) ? child : find(child, matches);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasClass({ attributes }: XfaElement, name: string): boolean {
  return attributes?.class?.includes(name) === true;
}

function isHidden({ attributes }: XfaElement): boolean {
  return attributes?.style?.display === "none" || attributes?.style?.visibility === "hidden";
}

/** Returns the font size of a text in pixels, rounded to half a pixel. */
function fontSizeOf(element: XfaElement): number {
  return Math.round((pixelsOf(element, "fontSize") ?? DEFAULT_FONT_SIZE) * 2) / 2;
}

function pixelsOf(element: XfaElement | null, property: string): number | null {
  const pixels = Number.parseFloat(/-?[\d.]+(?=px)/.exec(element?.attributes?.style?.[property] ?? "")?.[0] ?? "");
  return Number.isNaN(pixels) ? null : pixels;
}
