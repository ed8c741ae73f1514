import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { bodyStyle } from "./body-style.js";
import type { PageText } from "./page-model.js";

/** Operator lists are costly, so at most this many are read. */
const MAX_PAGES_DRAWN = 8;

interface Font {
  readonly name?: string;
  readonly bold?: boolean;
  readonly black?: boolean;
}

/** Which fonts of a document are bold, by their real names, which come with the text or with a page's operator list. */
export class FontWeights {
  readonly #bold = new Set<string>();
  readonly #known = new Set<string>();

  isBold(font: string): boolean {
    return this.#bold.has(font);
  }

  /** Adds the fonts that come with a page's text under their names. */
  learnStyles(styles: Readonly<Record<string, object>>): void {
    for (const [font, style] of Object.entries<Font>(styles)) if (style.name !== undefined) this.#learn(font, style);
  }

  /** Adds the fonts of a page whose operator list has been read. */
  learnDrawn(page: PDFPageProxy, fonts: readonly string[]): void {
    for (const font of fonts) this.#learn(font, page.commonObjs.has(font) ? (page.commonObjs.get(font) as Font) : {});
  }

  #learn(font: string, style: Font): void {
    if (this.#known.has(font)) return;
    this.#known.add(font);
    if (isBold(style)) this.#bold.add(font);
  }

  /** Reads the operator list of one page for each font that may be a heading's. */
  async complete(document: PDFDocumentProxy, pages: readonly PageText[], signal?: AbortSignal): Promise<void> {
    const { size, font: body } = bodyStyle(pages);
    this.#known.add(body);
    let drawn = 0;
    for (const { number, main } of pages) {
      const wanted = new Set<string>();
      for (const segment of main.segments) {
        if (
          !this.#known.has(segment.font) &&
          segment.size > size * 0.9 &&
          segment.size < size * 1.12 &&
          isTitleLike(segment.text)
        )
          wanted.add(segment.font);
      }
      if (wanted.size === 0 || drawn >= MAX_PAGES_DRAWN) continue;
      signal?.throwIfAborted();
      drawn++;
      const page = await document.getPage(number);
      await page.getOperatorList();
      this.learnDrawn(page, [...wanted]);
      page.cleanup();
    }
  }
}

/** Whether a piece of text could be a heading if its font is bold. */
function isTitleLike(text: string): boolean {
  return text.length <= 100 && /\p{L}{2}/u.test(text) && !/[.,;:]$/.test(text) && /^[\p{Lu}\p{Lo}\d]/u.test(text);
}

function isBold(font: Font): boolean {
  return (
    font.bold === true ||
    font.black === true ||
    /bold|black|heavy|semibold|demi|[-,]bd\b|CMBX|CMSSBX|NimbusRomNo9L-Medi|-Medi\b/i.test(font.name ?? "")
  );
}
