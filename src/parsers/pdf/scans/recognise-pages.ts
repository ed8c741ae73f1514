import { KnowledgeBaseError } from "../../../errors.js";
import type { ParseConfig, ParseOptions } from "../../../interfaces/parser.js";
import { mapConcurrent } from "../../../util/map-concurrent.js";
import { reasonSuffix } from "../../shared/errors/file-errors.js";
import { type ImageLayout, imageLayout } from "../../shared/ocr/image-layout.js";
import type { RenderableImage } from "../../shared/ocr/raster.js";
import { recogniseImage } from "../../shared/ocr/recognise-image.js";
import { RECOGNITION_THREADS } from "../../shared/ocr/recogniser.js";
import type { PageText, TextLayer } from "../page/page-model.js";
import { cellTexts } from "../page/table-cells.js";
import type { PageCounter } from "./page-counter.js";
import type { PageRenderer } from "./page-renderer.js";

/** A page whose text may have to be recognised. */
export interface Scan {
  /** The page with the text that the file has for it. */
  readonly page: PageText;
  /** Whether the page has no text of its own that counts; otherwise it may have more than the file tells. */
  readonly isScan: boolean;
}

/** What came of a page whose text may have to be recognised. */
export interface ScanResult {
  readonly number: number;
  /** `late`: there was no time for the page; `kept`: the page keeps the text that it has in the file. */
  readonly outcome: "read" | "empty" | "late" | "kept" | "failed";
  readonly layout?: ImageLayout;
  /** Why the page failed, as the end of a sentence. */
  readonly reason?: string;
}

interface RecognitionSettings {
  readonly mode: NonNullable<ParseConfig["mode"]>;
  readonly language: string;
  /** Font that recognised text counts as. */
  readonly font: string;
  /** Time of `performance.now()` after which no page is begun. */
  readonly deadline: number;
  /** Told of each page that needs no more work. */
  readonly counter: PageCounter;
}

const POINTS_PER_INCH = 72;
const DPI_BY_MODE = { fast: 150, balanced: 200, accurate: 300 } as const;
const MAX_DPI = 300;
/** Recognised text takes the place of the few characters of a page if it has this many times as many. */
const MIN_GAIN = 3;
/** Minimum longer side of a rendered page in pixels, since some scans declare too small a size. */
const MIN_SIDE_PIXELS = 2200;

/** Recognises the text of pages, several at a time, until recognition can't be started. */
export async function recognisePages(
  renderer: PageRenderer,
  scans: readonly Scan[],
  settings: RecognitionSettings,
  options: ParseOptions,
): Promise<ScanResult[]> {
  let startFailure: KnowledgeBaseError | null = null;
  return mapConcurrent(scans, RECOGNITION_THREADS, async (scan) => {
    options.signal?.throwIfAborted();
    if (startFailure !== null) return failedPage(scan, startFailure);
    if (performance.now() > settings.deadline)
      return { number: scan.page.number, outcome: scan.isScan ? "late" : "kept" };
    try {
      const image = await renderer.image(scan.page.number);
      return await recognisePage(scan, image, settings, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (KnowledgeBaseError.is(error, "unsupported")) startFailure = error;
      return failedPage(scan, error);
    } finally {
      settings.counter.add(scan.page.number);
    }
  });
}

async function recognisePage(
  { page, isScan }: Scan,
  image: RenderableImage,
  { mode, language, font }: RecognitionSettings,
  { signal, onProgress }: ParseOptions,
): Promise<ScanResult> {
  const { number } = page;
  const maxScale = MAX_DPI / POINTS_PER_INCH;
  const minScale = MIN_SIDE_PIXELS / Math.max(image.width, image.height);
  const scale = Math.min(Math.max(DPI_BY_MODE[mode] / POINTS_PER_INCH, minScale), maxScale);
  const result = await recogniseImage(image, {
    scale,
    maxScale,
    language,
    isFast: mode === "fast",
    signal,
    onProgress,
  });
  if (result.lines.length === 0) return { number, outcome: isScan && !result.isBlank ? "empty" : "kept" };
  const layout = imageLayout(number, image, result, font);
  if (!isScan && characterCount([layout.page.main]) < characterCount(layersOf(page)) * MIN_GAIN)
    return { number, outcome: "kept" };
  // Recognition may read the text in other directions too, but not as well as it is in the file.
  const { rotated } = isScan || page.rotated.length === 0 ? layout.page : page;
  return { number, outcome: "read", layout: { ...layout, page: { ...layout.page, rotated, notes: page.notes } } };
}

/** Returns the result for a page that can't be recognised. Of a page with text of its own, nothing is said. */
export function failedPage({ page, isScan }: Scan, error: unknown): ScanResult {
  const { number } = page;
  return isScan ? { number, outcome: "failed", reason: reasonSuffix(error) } : { number, outcome: "kept" };
}

/** Returns the text of a page in all directions. */
export function layersOf({ main, rotated }: PageText): readonly TextLayer[] {
  return [main, ...rotated];
}

export function characterCount(layers: readonly TextLayer[]): number {
  return layers
    .flatMap(({ segments }) => segments)
    .reduce((sum, { text, table }) => sum + (table === undefined ? text : cellTexts(table.rows).join("")).length, 0);
}
