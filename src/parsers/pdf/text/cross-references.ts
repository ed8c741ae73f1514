import { getOrCreate } from "../../../util/get-or-create.js";
import type { Destinations } from "../page/destinations.js";
import type { Box } from "../page/frame.js";
import type { PageText, PlacedReference } from "../page/page-model.js";
import { joinLines } from "./join-lines.js";

/** Words that refer to a page of the document. */
export interface CrossReference {
  readonly text: string;
  /** From 1. */
  readonly page: number;
}

/** The links of a document that lead to its own pages. */
export class CrossReferences {
  readonly #pages = new Map<number, (PlacedReference & CrossReference)[]>();

  /** Finds the pages that the links lead to. Links that lead nowhere are left out, and the numbers of footnotes. */
  static async read(pages: readonly PageText[], destinations: Destinations): Promise<CrossReferences> {
    const references = new CrossReferences();
    for (const { number, references: links } of pages)
      for (const link of links) {
        const page = await destinations.pageOf(link.destination);
        const isNote = page === number && /^\d{1,3}$/.test(link.text);
        if (page !== null && !isNote) getOrCreate(references.#pages, number, () => []).push({ ...link, page });
      }
    return references;
  }

  /** Returns the references within a box of a page. A link over several lines is one. */
  at(page: number, [left, top, right, bottom]: Box): CrossReference[] {
    const inside = (this.#pages.get(page) ?? []).filter(({ box }) => {
      const y = (box[1] + box[3]) / 2;
      if (y < top || y > bottom) return false;
      const x = (box[0] + box[2]) / 2;
      return x >= left && x <= right;
    });
    if (inside.length === 0) return [];
    inside.sort(inReadingOrder);
    const joined: (PlacedReference & CrossReference)[] = [];
    for (const reference of inside) {
      const last = joined.at(-1);
      const continues = last !== undefined && isSame(last, reference) && reference.box[1] > last.box[1];
      if (continues) joined[joined.length - 1] = { ...reference, text: joinLines([last.text, reference.text]) };
      else joined.push(reference);
    }
    return joined.map(({ text, page }) => ({ text, page }));
  }
}

function isSame({ destination: a }: PlacedReference, { destination: b }: PlacedReference): boolean {
  return typeof a === "string" ? a === b : JSON.stringify(a) === JSON.stringify(b);
}

function inReadingOrder({ box: a }: PlacedReference, { box: b }: PlacedReference): number {
  const rise = a[1] + a[3] - b[1] - b[3];
  return Math.abs(rise) > a[3] - a[1] ? rise : a[0] - b[0];
}
