import type { PDFDocumentProxy } from "pdfjs-dist";
import type { Destination, Destinations } from "../page/destinations.js";
import type { ListedTitle } from "./titles.js";

interface OutlineItem {
  readonly title: string;
  readonly dest: Destination;
  readonly items: readonly OutlineItem[];
}

/** Headings have no more levels. */
const MAX_DEPTH = 6;

/** More entries say no more about levels. Finding the page of each takes time, so that the rest is left out. */
const MAX_ENTRIES = 10_000;

/** Returns the titles in the document's outline, at most 10,000, the upper levels first; none if it is damaged. */
export async function readOutline(document: PDFDocumentProxy, destinations: Destinations): Promise<ListedTitle[]> {
  const outline = (await document.getOutline().catch(() => null)) as readonly OutlineItem[] | null;
  const titles: ListedTitle[] = [];
  let level: readonly OutlineItem[] = outline ?? [];
  for (let depth = 1; depth <= MAX_DEPTH && level.length > 0 && titles.length < MAX_ENTRIES; depth++) {
    for (const { title, dest } of level.slice(0, MAX_ENTRIES - titles.length))
      titles.push({ title, depth, page: await destinations.pageOf(dest) });
    level = level.flatMap(({ items }) => items);
  }
  return titles;
}
