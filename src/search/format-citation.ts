import { cellLabels } from "../domain/cell-labels.js";
import { KnowledgeBaseError } from "../errors.js";
import type { EngineMetadata, SheetRange } from "../types.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";

/** A search hit, from the library or from an HTTP response. */
export interface CitedHit {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  readonly pages?: readonly [first: number, last: number] | undefined;
  readonly cells?: readonly SheetRange[] | undefined;
  readonly metadata?: Partial<EngineMetadata> | undefined;
}

/** A citation of an answer, see `Citation`. */
export interface CitedQuote {
  readonly chunkId: string;
  readonly documentId: string;
  readonly documentName: string;
  readonly url?: string | undefined;
  readonly page?: number | undefined;
  readonly cells?: readonly SheetRange[] | undefined;
  readonly headings: readonly string[];
}

const SLIDES = /\.(?:pptx?|pptm|ppsx?|odp|key)$/i;
const SHEETS = /\.(?:xlsx?|xlsm|xlsb|ods)$/i;

/**
 * Formats the origin of a hit or of a citation as one readable line: the file, its pages (slides, sheets), the range of
 * cells if there is only one, the time in a video, the headings and the URL. Omits missing parts. If there is no name,
 * uses the document's id. The name of the range's sheet replaces the pages, unless the headings have it.
 *
 * @throws KnowledgeBaseError `invalid_input` for anything else
 * @example
 * formatCitation(hit); // Keeper's manual.pdf, p. 3–4, "Lamp > Lighting"
 * formatCitation(page); // Opening hours, "Visits", https://example.com/hours
 * formatCitation(video); // How a lamp is lit, 1:02, https://www.youtube.com/watch?v=jNQXAC9IVRw
 * formatCitation(answer.citations[0]); // Keeper's manual.pdf, p. 3, "Lamp > Lighting"
 */
export function formatCitation(cited: CitedHit | CitedQuote): string {
  if (isQuote(cited)) {
    const { documentName: filename, url, headings, page, cells } = cited;
    return formatOrigin(filename, { url, headings }, { pages: page === undefined ? undefined : [page, page], cells });
  }
  if (typeof cited?.id !== "string") {
    const message = "must be a search hit, which has an id, or a citation of an answer, which has a chunkId";
    throw new KnowledgeBaseError("invalid_input", `formatCitation: the argument ${message}`);
  }
  const { id, pages, cells, metadata = {} } = cited;
  return formatOrigin(documentNameOf(metadata, id.replace(/#\d+$/, "")), metadata, { pages, cells });
}

/** Returns the name of a passage's document; its id if there is no name. */
export function documentNameOf({ filename, youtube_title: title, url }: Partial<EngineMetadata>, id: string): string {
  return textOf(filename) ?? textOf(title) ?? textOf(url) ?? id;
}

function isQuote(cited: CitedHit | CitedQuote | null | undefined): cited is CitedQuote {
  return typeof (cited as CitedQuote | null | undefined)?.chunkId === "string";
}

function formatOrigin(
  name: string,
  { url, headings, youtube_timestamp: seconds }: Readonly<Partial<Record<keyof EngineMetadata, unknown>>>,
  { pages, cells = [] }: Pick<CitedHit, "pages" | "cells">,
): string {
  const path = headingsOf(headings);
  const labels = cellLabels(cells, path);
  // One range is on one sheet: its name stands for the number, and a passage of several sheets has other numbers, too.
  const showsPages = pages !== undefined && (labels.length === 0 || (labels.length === 1 && pages[0] === pages[1]));
  return [
    name,
    showsPages ? formatPages(name, pages) : null,
    ...labels,
    typeof seconds === "number" ? formatTime(seconds) : null,
    path.length === 0 ? null : `"${path.join(" > ")}"`,
    url === name ? null : textOf(url),
  ]
    .filter((part) => part !== null)
    .join(", ");
}

/** Returns a value's text, or `null`: the caller's metadata may use the same keys for something else. */
function textOf(value: unknown): string | null {
  const text = typeof value === "string" ? collapseWhitespace(value) : "";
  return text === "" ? null : text;
}

function headingsOf(value: unknown): readonly string[] {
  const headings: readonly unknown[] = Array.isArray(value) ? value : [value];
  return headings.flatMap((heading) => textOf(heading) ?? []);
}

function formatPages(name: string, [first, last]: readonly [number, number]): string {
  const label = SLIDES.test(name) ? "slide" : SHEETS.test(name) ? "sheet" : "p.";
  return first === last ? `${label} ${first}` : `${label} ${first}–${last}`;
}

/** Formats a time as `1:02`, or as `1:01:02` from one hour on. */
function formatTime(totalSeconds: number): string {
  const [hours, minutes] = [Math.floor(totalSeconds / 3600), Math.floor(totalSeconds / 60) % 60];
  const seconds = Math.floor(totalSeconds) % 60;
  const minutesAndSeconds = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(seconds).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${minutesAndSeconds}` : minutesAndSeconds;
}
