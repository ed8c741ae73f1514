import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { bodyStyle } from "./body-style.js";
import type { PageText } from "./page-model.js";

/** Maximum number of operator lists to read, since they are costly. */
const MAX_OPERATOR_LISTS = 8;

interface Font {
  readonly name?: string;
  readonly bold?: boolean;
  readonly black?: boolean;
}

/** Tells which fonts of a document are bold by their real names, which come with the text or an operator list. */
export class FontWeights {
  readonly #bold = new Set<string>();
  readonly #known = new Set<string>();

  isBold(font: string): boolean {
    return this.#bold.has(font);
  }

  /** Adds the fonts whose names come with a page's text. */
  addStyles(styles: Readonly<Record<string, object>>): void {
    for (const [font, style] of Object.entries<Font>(styles)) if (style.name !== undefined) this.#add(font, style);
  }

  /** Adds the fonts of a page whose operator list has been read. */
  addDrawnFonts(page: PDFPageProxy, fonts: readonly string[]): void {
    for (const font of fonts) this.#add(font, page.commonObjs.has(font) ? (page.commonObjs.get(font) as Font) : {});
  }

  #add(font: string, style: Font): void {
    if (this.#known.has(font)) return;
    this.#known.add(font);
    if (isBold(style)) this.#bold.add(font);
  }

  /** Reads operator lists of pages to learn the weight of each unknown font that headings may use. */
  async readHeadingFonts(document: PDFDocumentProxy, pages: readonly PageText[], signal?: AbortSignal): Promise<void> {
    const { size, font: body } = bodyStyle(pages);
    this.#known.add(body);
    let listCount = 0;
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
      if (wanted.size === 0 || listCount >= MAX_OPERATOR_LISTS) continue;
      signal?.throwIfAborted();
      listCount++;
      const page = await document.getPage(number);
      await page.getOperatorList();
      this.addDrawnFonts(page, [...wanted]);
      page.cleanup();
    }
  }
}

/** Whether a text could be a heading if its font is bold. */
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
