import type { PDFDocumentProxy } from "pdfjs-dist";
import { getOrCreate } from "../../../util/get-or-create.js";

/** Where an entry of the outline or a link leads: the name of a destination, or a page with a place on it. */
export type Destination = string | readonly unknown[] | null;

type PageReference = Parameters<PDFDocumentProxy["cachedPageNumber"]>[0];

/** Finds the pages that destinations within a document are on. The pages have to be loaded before. */
export class Destinations {
  readonly #document: PDFDocumentProxy;
  readonly #named = new Map<string, Promise<Destination>>();

  constructor(document: PDFDocumentProxy) {
    this.#document = document;
  }

  /** Returns a page number, from 1; `null` if the destination is missing, or on a page that can't be read. */
  async pageOf(destination: Destination): Promise<number | null> {
    const [page] = (typeof destination === "string" ? await this.#find(destination) : destination) ?? [];
    if (typeof page === "number")
      return Number.isInteger(page) && page >= 0 && page < this.#document.numPages ? page + 1 : null;
    return typeof page === "object" && page !== null ? this.#document.cachedPageNumber(page as PageReference) : null;
  }

  #find(name: string): Promise<Destination> {
    return getOrCreate(this.#named, name, () =>
      (this.#document.getDestination(name) as Promise<Destination>).catch(() => null),
    );
  }
}
