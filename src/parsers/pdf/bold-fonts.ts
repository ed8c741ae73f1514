import type { PDFDocumentProxy } from "pdfjs-dist";
import { bodyStyle } from "./headings.js";
import type { PageText } from "./page-text.js";

/** Drawing lists are costly, so no more of them are asked for than this. */
const MAX_PAGES_DRAWN = 12;

/**
 * The bold fonts of a document. A font's real name comes only with the drawing list of a page that uses it: one page
 * is asked for each font that could be a heading's, and none for the font of the text.
 */
export async function boldFonts(
  document: PDFDocumentProxy,
  pages: readonly PageText[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { size, font: body } = bodyStyle(pages);
  const bold = new Set<string>();
  const known = new Set([body]);
  let drawn = 0;
  for (const { number, segments } of pages) {
    const wanted = new Set(
      segments
        .filter((piece) => !known.has(piece.font) && piece.size > size * 0.9 && piece.size < size * 1.5)
        .map((piece) => piece.font),
    );
    if (wanted.size === 0 || drawn >= MAX_PAGES_DRAWN) continue;
    signal?.throwIfAborted();
    drawn++;
    const page = await document.getPage(number);
    await page.getOperatorList();
    for (const font of wanted) {
      known.add(font);
      if (
        page.commonObjs.has(font) &&
        isBold(page.commonObjs.get(font) as { name?: string; bold?: boolean; black?: boolean })
      )
        bold.add(font);
    }
    page.cleanup();
  }
  return bold;
}

function isBold(font: { name?: string; bold?: boolean; black?: boolean }): boolean {
  return (
    font.bold === true ||
    font.black === true ||
    /bold|black|heavy|semibold|demi|[-,]bd\b|CMBX|CMSSBX|NimbusRomNo9L-Medi|-Medi\b/i.test(font.name ?? "")
  );
}
