import { SCANS_NEED_OCR } from "../../domain/text-recognition.js";
import { KnowledgeBaseError } from "../../errors.js";
import type { ParseOptions } from "../../interfaces/parser.js";
import { reasonSuffix } from "../shared/errors/file-errors.js";
import { lowConfidenceWarning } from "../shared/ocr/confidence.js";
import { imageLayout, type PlacedWord } from "../shared/ocr/image-layout.js";
import { ocrLanguage } from "../shared/ocr/ocr-language.js";
import { recogniseImage } from "../shared/ocr/recognise-image.js";
import { bodyStyle } from "./body-style.js";
import { pageList, pageWarning, timeLimitWarning } from "./page-list.js";
import type { PageText, TextLayer } from "./page-model.js";
import { PageRenderer } from "./page-renderer.js";

export interface ScannedPages {
  /** All pages, with recognised text for scanned pages. */
  readonly pages: readonly PageText[];
  readonly words: readonly PlacedWord[];
  readonly warnings: readonly string[];
}

const POINTS_PER_INCH = 72;
const DPI_BY_MODE = { fast: 150, balanced: 200, accurate: 300 } as const;
const MAX_DPI = 300;
/** The upper and lower margin, as a share of the page's height. */
const MARGIN_SHARE = 0.12;
/** A page with a larger share covered by images is a scan, even if it has some text. */
const MIN_SCAN_SHARE = 0.7;
/** A page with fewer characters may have the rest of its text as outlines. */
const MAX_FEW_CHARACTERS = 60;
/** Recognised text takes the place of the few characters of a page if it has this many times as many. */
const MIN_GAIN = 3;
/** Maximum share of the parse time limit. */
const MAX_TIME_SHARE = 0.7;
/** Minimum longer side of a rendered page in pixels, since some scans declare too small a size. */
const MIN_SIDE_PIXELS = 2200;

/**
 * Recognises the text of pages that have none or only illegible text, and of all pages with `forceOcr`. Invisible text
 * over a scan counts as text. Warnings name the pages that OCR has read, and the pages that it could not read.
 */
export async function readScans(
  bytes: Uint8Array,
  pages: readonly PageText[],
  options: ParseOptions,
): Promise<ScannedPages> {
  const { forceOcr = false, languageCode, mode = "balanced" } = options.config ?? {};
  const isUnread = (page: PageText): boolean => isTextless(page) || isGarbled(page);
  const scans = pages.filter(
    (page) =>
      forceOcr || isUnread(page) || hasOnlyMarginText(page) || characterCount(layersOf(page)) < MAX_FEW_CHARACTERS,
  );
  const unreadPages = scans.filter((page) => forceOcr || isUnread(page)).map((page) => page.number);
  const withoutOcr = (reason: string): ScannedPages => {
    const problem = `no text; ${SCANS_NEED_OCR} ${reason}`;
    return { pages, words: [], warnings: pageWarning(unreadPages, `has ${problem}`, `have ${problem}`) };
  };
  if (scans.length === 0) return { pages, words: [], warnings: [] };
  if (mode === "fast" && !forceOcr) return withoutOcr(`The mode "fast" doesn't run it.`);
  const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY) * MAX_TIME_SHARE;
  let renderer: PageRenderer;
  const warnings: string[] = [];
  options.onProgress?.();
  try {
    renderer = await PageRenderer.open(bytes);
  } catch (error) {
    if (KnowledgeBaseError.is(error, "unsupported")) return withoutOcr(error.message);
    throw error;
  }
  const font = bodyStyle(pages.filter((page) => !scans.includes(page))).font;
  const recognised = new Map<number, PageText>();
  const words: PlacedWord[] = [];
  const recognisedPages: number[] = [];
  const emptyPages: number[] = [];
  const timedOutPages: number[] = [];
  // Loaded for the first page that may have text to recognise: most pages with little text have none.
  let model: Awaited<ReturnType<typeof ocrLanguage>> | undefined;
  const callbacks = { signal: options.signal, onProgress: options.onProgress };
  try {
    for (const page of scans) {
      options.signal?.throwIfAborted();
      if (performance.now() > deadline) {
        if (unreadPages.includes(page.number)) timedOutPages.push(page.number);
        continue;
      }
      let isScan = unreadPages.includes(page.number);
      try {
        const { imageShare, isBare, mayHaveOutlines } = await renderer.ink(page.number);
        isScan = isScan ? !isBare : hasOnlyMarginText(page) && imageShare > MIN_SCAN_SHARE;
        if (!isScan && !mayHaveOutlines) continue;
        model ??= await ocrLanguage(languageCode);
        // Drawing a page and loading the model take time, too.
        if (performance.now() > deadline) {
          if (unreadPages.includes(page.number)) timedOutPages.push(page.number);
          continue;
        }
        const image = await renderer.image(page.number);
        const maxScale = MAX_DPI / POINTS_PER_INCH;
        const minScale = MIN_SIDE_PIXELS / Math.max(image.width, image.height);
        const scale = Math.min(Math.max(DPI_BY_MODE[mode] / POINTS_PER_INCH, minScale), maxScale);
        const settings = { scale, maxScale, language: model.language, isFast: mode === "fast", ...callbacks };
        const result = await recogniseImage(image, settings);
        if (result.lines.length === 0) {
          if (isScan && !result.isBlank) emptyPages.push(page.number);
          continue;
        }
        const layout = imageLayout(page.number, image, result, font);
        if (!isScan && characterCount([layout.page.main]) < characterCount(layersOf(page)) * MIN_GAIN) continue;
        // Recognition may read the text in other directions too, but not as well as it is in the file.
        const { rotated } = isScan || page.rotated.length === 0 ? layout.page : page;
        recognised.set(page.number, { ...layout.page, rotated, notes: page.notes });
        words.push(...layout.words);
        recognisedPages.push(page.number);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (model === undefined && KnowledgeBaseError.is(error, "unsupported")) return withoutOcr(error.message);
        // Of the others, the text was read, and it isn't known whether there is more.
        if (isScan) warnings.push(`${pageList([page.number])} could not be recognised${reasonSuffix(error)}`);
      }
    }
  } finally {
    await renderer.close();
  }
  if (recognisedPages.length > 0 || emptyPages.length > 0) warnings.unshift(...model!.warnings);
  warnings.push(
    ...pageWarning(recognisedPages, "was read by text recognition (OCR).", "were read by text recognition (OCR)."),
    ...pageWarning(emptyPages, "has no text that could be recognised.", "have no text that could be recognised."),
    ...timeLimitWarning(timedOutPages),
    ...lowConfidenceWarning(words),
  );
  return { pages: pages.map((page) => recognised.get(page.number) ?? page), words, warnings };
}

function isTextless(page: PageText): boolean {
  return layersOf(page).every((layer) => layer.segments.length === 0);
}

/** Returns the text of a page in all directions. */
function layersOf({ main, rotated }: PageText): readonly TextLayer[] {
  return [main, ...rotated];
}

function characterCount(layers: readonly TextLayer[]): number {
  return layers
    .flatMap(({ segments }) => segments)
    .reduce((sum, { text, table }) => sum + (table?.rows.flat().join("") ?? text).length, 0);
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
