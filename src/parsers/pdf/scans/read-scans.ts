import type { PDFDocumentProxy } from "pdfjs-dist";
import { SCANS_NEED_OCR } from "../../../domain/text-recognition.js";
import { KnowledgeBaseError } from "../../../errors.js";
import type { ParseOptions } from "../../../interfaces/parser.js";
import { groupBy } from "../../../util/group-by.js";
import { lowConfidenceWarning } from "../../shared/ocr/confidence.js";
import type { PlacedWord } from "../../shared/ocr/image-layout.js";
import { ocrLanguage } from "../../shared/ocr/ocr-language.js";
import { bodyStyle } from "../page/body-style.js";
import { pageList, pageWarning, timeLimitWarning } from "../page/page-list.js";
import type { PageText } from "../page/page-model.js";
import type { PageCounter } from "./page-counter.js";
import { pageInk } from "./page-ink.js";
import { PageRenderer } from "./page-renderer.js";
import { characterCount, failedPage, layersOf, recognisePages, type Scan, type ScanResult } from "./recognise-pages.js";

/** A document and the text that its pages have. */
interface ReadDocument {
  /** The document as `openPdf` opens it. */
  readonly document: PDFDocumentProxy;
  /** The bytes of the document's file. */
  readonly bytes: Uint8Array;
  readonly pages: readonly PageText[];
  readonly counter: PageCounter;
}

export interface ScannedPages {
  /** All pages, with recognised text for scanned pages. */
  readonly pages: readonly PageText[];
  readonly words: readonly PlacedWord[];
  readonly warnings: readonly string[];
}

/** The upper and lower margin, as a share of the page's height. */
const MARGIN_SHARE = 0.12;
/** A page with a larger share covered by images is a scan, even if it has some text. */
const MIN_SCAN_SHARE = 0.7;
/** A page with fewer characters may have the rest of its text as outlines. */
const MAX_FEW_CHARACTERS = 60;
/** Maximum share of the parse time limit. */
const MAX_TIME_SHARE = 0.7;

/**
 * Recognises the text of pages that have none or only illegible text, and of all pages with `forceOcr`. Invisible text
 * over a scan counts as text. Warnings name the pages that OCR has read, and the pages that it could not read.
 */
export async function readScans(
  { document, bytes, pages, counter }: ReadDocument,
  options: ParseOptions,
): Promise<ScannedPages> {
  const { forceOcr = false, languageCode, mode = "balanced" } = options.config ?? {};
  const candidates = pages
    .map((page): Scan => ({ page, isScan: forceOcr || isTextless(page) || isGarbled(page) }))
    .filter(
      ({ page, isScan }) => isScan || hasOnlyMarginText(page) || characterCount(layersOf(page)) < MAX_FEW_CHARACTERS,
    );
  const withoutOcr = (reason: string): ScannedPages => {
    const problem = `no text; ${SCANS_NEED_OCR} ${reason}`;
    const unread = candidates.filter(({ isScan }) => isScan).map(({ page }) => page.number);
    return { pages, words: [], warnings: pageWarning(unread, `has ${problem}`, `have ${problem}`) };
  };
  if (candidates.length === 0) return { pages, words: [], warnings: [] };
  if (mode === "fast" && !forceOcr) return withoutOcr(`The mode "fast" doesn't run it.`);
  const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY) * MAX_TIME_SHARE;
  options.onProgress?.();
  const { scans, results } = await findScans(document, candidates, deadline, options);
  const warnings: string[] = [];
  if (scans.length > 0) {
    const others = pages.filter((page) => candidates.every((candidate) => candidate.page !== page));
    let renderer: PageRenderer | undefined;
    try {
      renderer = await PageRenderer.open(bytes, options.signal);
      const model = ocrLanguage(languageCode);
      const settings = { mode, language: model.language, font: bodyStyle(others).font, deadline, counter };
      results.push(...(await recognisePages(renderer, scans, settings, options)));
      if (results.some(({ outcome }) => outcome === "read" || outcome === "empty")) warnings.push(...model.warnings);
    } catch (error) {
      if (KnowledgeBaseError.is(error, "unsupported")) return withoutOcr(error.message);
      throw error;
    } finally {
      await renderer?.close();
    }
  }
  return withResults(
    pages,
    results.sort((a, b) => a.number - b.number),
    warnings,
  );
}

/** Finds the pages whose text has to be recognised, and those for which that can't be found out. */
async function findScans(
  document: PDFDocumentProxy,
  candidates: readonly Scan[],
  deadline: number,
  { signal }: ParseOptions,
): Promise<{ scans: readonly Scan[]; results: ScanResult[] }> {
  const scans: Scan[] = [];
  const results: ScanResult[] = [];
  for (const { page, isScan } of candidates) {
    signal?.throwIfAborted();
    if (performance.now() > deadline) {
      if (isScan) results.push({ number: page.number, outcome: "late" });
      continue;
    }
    try {
      const { imageShare, isBare, mayHaveOutlines } = await pageInk(await document.getPage(page.number));
      const isDrawnScan = isScan ? !isBare : hasOnlyMarginText(page) && imageShare > MIN_SCAN_SHARE;
      if (isDrawnScan || mayHaveOutlines) scans.push({ page, isScan: isDrawnScan });
    } catch (error) {
      signal?.throwIfAborted();
      results.push(failedPage({ page, isScan }, error));
    }
  }
  return { scans, results };
}

/** Replaces the pages that were recognised, and adds the warnings about all results. */
function withResults(
  pages: readonly PageText[],
  results: readonly ScanResult[],
  modelWarnings: readonly string[],
): ScannedPages {
  const recognised = new Map(results.flatMap(({ number, layout }) => (layout ? [[number, layout]] : [])));
  const words = [...recognised.values()].flatMap((layout) => layout.words);
  const numbersOf = (outcome: ScanResult["outcome"]): number[] =>
    results.filter((result) => result.outcome === outcome).map(({ number }) => number);
  return {
    pages: pages.map((page) => recognised.get(page.number)?.page ?? page),
    words,
    warnings: [
      ...modelWarnings,
      ...failureWarnings(results),
      ...pageWarning(numbersOf("read"), "was read by text recognition (OCR).", "were read by text recognition (OCR)."),
      ...pageWarning(
        numbersOf("empty"),
        "has no text that could be recognised.",
        "have no text that could be recognised.",
      ),
      ...timeLimitWarning(numbersOf("late")),
      ...lowConfidenceWarning(words),
    ],
  };
}

/** Returns a warning for each reason for which pages could not be recognised. */
function failureWarnings(results: readonly ScanResult[]): string[] {
  const failed = results.filter(({ outcome }) => outcome === "failed");
  return [...groupBy(failed, ({ reason = "." }) => reason)].map(
    ([reason, pages]) => `${pageList(pages.map(({ number }) => number))} could not be recognised${reason}`,
  );
}

/** Whether a page has no text of its own. */
export function isTextless(page: PageText): boolean {
  return layersOf(page).every((layer) => layer.segments.length === 0);
}

/** Whether all text is in the upper and lower margin, like page numbers and program names printed over scans. */
function hasOnlyMarginText({ main }: PageText): boolean {
  const { height } = main.frame;
  const isMargin = (baseline: number): boolean =>
    baseline < height * MARGIN_SHARE || baseline > height * (1 - MARGIN_SHARE);
  return (
    main.segments.length < 8 && main.segments.every(({ baseline, table }) => table === undefined && isMargin(baseline))
  );
}

/** Whether the text consists of glyph numbers, as in fonts without a Unicode mapping. */
function isGarbled({ main }: PageText): boolean {
  const text = main.segments.map((segment) => segment.text).join("");
  const odd = text.match(/[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
  return odd > text.length * 0.3 && odd > 8;
}
