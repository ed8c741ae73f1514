import type { PDFPageProxy } from "pdfjs-dist";
import type { Destination } from "./destinations.js";
import type { Box } from "./frame.js";

/** The annotations of a page; boxes are in points of the page. */
export interface PageAnnotations {
  readonly links: readonly { readonly url: string; readonly box: Box }[];
  /** Links to places in the document. */
  readonly references: readonly { readonly destination: Destination; readonly box: Box }[];
  /** Values of form fields. */
  readonly fields: readonly PlacedText[];
  /** Notes that readers added to the page. */
  readonly notes: readonly PlacedText[];
}

export interface PlacedText {
  readonly text: string;
  readonly box: Box;
}

interface Annotation {
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly url?: string;
  readonly dest?: Destination;
  readonly annotationFlags?: number;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly exportValue?: string;
  readonly buttonValue?: string;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
  readonly contentsObj?: { readonly str: string };
  readonly textContent?: readonly string[];
}

const HIDDEN_FLAG = 2;
const NON_NOTE_SUBTYPES = new Set(["Link", "Widget", "Popup", "Screen", "Movie", "TrapNet", "PrinterMark"]);

/** Reads the links, filled form fields and notes of a page; returns none if they are damaged. */
export async function readAnnotations(
  page: PDFPageProxy,
  toBox: (rectangle: readonly number[]) => Box,
): Promise<PageAnnotations> {
  const all: readonly Annotation[] = await page.getAnnotations().catch(() => []);
  const visible = all.filter(
    ({ annotationFlags = 0, rect }) => (annotationFlags & HIDDEN_FLAG) === 0 && rect?.length === 4,
  );
  const collectTexts = (text: (annotation: Annotation) => string) =>
    visible.flatMap((annotation) => {
      const value = text(annotation).replace(/\r\n?/g, "\n").trim();
      return value === "" ? [] : [{ text: value, box: toBox(annotation.rect!) }];
    });
  return {
    links: visible.flatMap(({ subtype, url, rect }) =>
      subtype === "Link" && url !== undefined && /^(?:https?|mailto):/i.test(url) ? [{ url, box: toBox(rect!) }] : [],
    ),
    references: visible.flatMap(({ subtype, dest = null, rect }) =>
      subtype === "Link" && dest !== null ? [{ destination: dest, box: toBox(rect!) }] : [],
    ),
    fields: collectTexts(fieldText),
    notes: collectTexts(({ subtype = "", contentsObj, textContent }) =>
      NON_NOTE_SUBTYPES.has(subtype) ? "" : contentsObj?.str || (textContent?.join("\n") ?? ""),
    ),
  };
}

function fieldText(annotation: Annotation): string {
  const { subtype, fieldType, fieldValue, password, options = [] } = annotation;
  if (subtype !== "Widget" || password === true) return "";
  if (fieldType === "Btn") return isChecked(annotation) ? "☒" : "";
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === "string");
  return values
    .map((value) => options.find((option) => option.exportValue === value)?.displayValue ?? value)
    .join(", ");
}

function isChecked({ checkBox, radioButton, fieldValue, exportValue, buttonValue }: Annotation): boolean {
  if (typeof fieldValue !== "string" || fieldValue === "Off") return false;
  return checkBox === true ? fieldValue === exportValue : radioButton === true && fieldValue === buttonValue;
}
