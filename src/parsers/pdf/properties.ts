import type { PDFDocumentProxy } from "pdfjs-dist";
import type { Metadata } from "../../types.js";

const METADATA_KEYS: readonly (readonly [info: string, key: string])[] = [
  ["Author", "author"],
  ["Subject", "subject"],
  ["Keywords", "keywords"],
  ["CreationDate", "created"],
  ["ModDate", "modified"],
];

/** Reads the document's properties, with dates in ISO 8601 if they can be parsed. */
export async function pdfProperties(document: PDFDocumentProxy): Promise<{ title: string | null; metadata: Metadata }> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const fields = info as Readonly<Record<string, unknown>>;
  const metadata: Record<string, string> = {};
  for (const [name, key] of METADATA_KEYS) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") metadata[key] = isoDate(value) ?? value.trim();
  }
  const language = fields.Language;
  if (typeof language === "string" && language !== "") metadata.language = language;
  const labels = await pageLabels(document);
  return { title: titleOf(fields.Title), metadata: labels === null ? metadata : { ...metadata, pageLabels: labels } };
}

/** Returns the printed page numbers; `null` if there are none, or they equal the positions of the pages. */
async function pageLabels(document: PDFDocumentProxy): Promise<string[] | null> {
  const labels = await document.getPageLabels().catch(() => null);
  return labels === null || labels.every((label, i) => label === String(i + 1)) ? null : labels;
}

/** Whether the document declares itself as tagged. */
export async function isTaggedPdf(document: PDFDocumentProxy): Promise<boolean> {
  const info = (await document.getMarkInfo().catch(() => null)) as { readonly Marked?: boolean } | null;
  return info?.Marked === true;
}

/** Returns the title; `null` if it is missing or a default of the program that wrote the file, such as a file name. */
function titleOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const title = value.trim();
  return title === "" ||
    /^(?:untitled|microsoft word|powerpoint)|\.(?:docx?|pptx?|tex|dvi|indd|qxd|fm|rtf|odt)$/i.test(title)
    ? null
    : title;
}

function isoDate(value: string): string | null {
  const match = /^D:(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(value);
  if (match === null) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", sign, zoneHour = "00", zoneMinute = "00"] =
    match;
  const zone = sign === undefined ? "Z" : `${sign}${zoneHour}:${zoneMinute}`;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
