import type { PDFPageProxy } from "pdfjs-dist";
import { readAnnotations } from "./page/annotations.js";
import { bulletRuns, mayHaveDrawnBullets } from "./page/drawn-bullets.js";
import { joinDropCaps } from "./page/drop-caps.js";
import type { FontWeights } from "./page/font-weights.js";
import { fieldRuns } from "./page/form-fields.js";
import { type Box, boxOnPage, boxToFrame, type Frame, frameOf } from "./page/frame.js";
import { type LinkMarks, linkedWords } from "./page/link-marks.js";
import { type PageDrawing, readDrawing } from "./page/page-drawing.js";
import type { PageText } from "./page/page-model.js";
import { NO_TAGS, type PageTags, readPageTags } from "./page/page-tags.js";
import { joinReadings } from "./page/ruby.js";
import { type Run, type RunLayer, runLayers } from "./page/runs.js";
import { type Segment, segmentsOf } from "./page/segments.js";
import { nameBullets } from "./page/symbol-bullets.js";
import { inReadingDirection } from "./page/table-cells.js";
import { framedTables } from "./tables/framed-tables.js";
import { mayHaveRuledTable } from "./tables/may-have-ruled-table.js";
import { type DetectedTable, ruledTables } from "./tables/ruled-tables.js";
import { taggedTables } from "./tables/tagged-tables.js";

/** The links of a page that are read; a page of an index has a few hundred. */
const MAX_PAGE_REFERENCES = 1000;

export interface ReadingContext {
  readonly isTagged: boolean;
  readonly links: LinkMarks;
  readonly fonts: FontWeights;
}

/** Reads the text of a page as segments, sorted from top to bottom and left to right, and its tables. */
export async function readPageText(page: PDFPageProxy, { isTagged, links, fonts }: ReadingContext): Promise<PageText> {
  const viewport = page.getViewport({ scale: 1 });
  const toBox = (rectangle: readonly number[]): Box => {
    const [x = 0, y = 0, u = 0, v = 0] = viewport.convertToViewportRectangle([...rectangle]) as number[];
    return [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
  };
  const [content, annotations, tags] = await Promise.all([
    page.getTextContent({ disableNormalization: true, includeMarkedContent: isTagged }),
    readAnnotations(page, toBox),
    isTagged ? readPageTags(page) : NO_TAGS,
  ]);
  const empty = { frame: frameOf(0, viewport.width, viewport.height), runs: [], isVertical: false };
  const [main = empty, ...others] = runLayers(content, viewport);
  fonts.addStyles(content.styles);
  joinReadings(main.runs);
  joinDropCaps(main.runs);
  nameBullets(main.runs);
  const references = annotations.references.slice(0, MAX_PAGE_REFERENCES).flatMap(({ destination, box }) => {
    const text = linkedWords(main.runs, boxToFrame(main.frame, box));
    return text === "" ? [] : [{ text, destination, box: boxOnPage(frameOf(0, 0, 0), box) }];
  });
  for (const { url, box } of annotations.links) links.mark(main.runs, url, boxToFrame(main.frame, box));
  for (const { text, box } of annotations.fields)
    main.runs.push(...fieldRuns(text, boxToFrame(main.frame, box), main.runs));

  let tables = taggedTables(tags.tables, main.runs);
  let segments = segmentsWithTables(main.runs, tables, tags);
  const mayHaveTables = tables.length === 0 && mayHaveRuledTable(segments);
  if (mayHaveTables || mayHaveDrawnBullets(segments)) {
    const operators = await page.getOperatorList();
    fonts.addDrawnFonts(page, Object.keys(content.styles));
    const drawing = drawingInFrame(await readDrawing(operators, viewport.transform), main.frame);
    const bullets = bulletRuns(drawing.dots, main.runs);
    main.runs.push(...bullets);
    if (mayHaveTables) tables = drawnTables(drawing, main.runs);
    if (tables.length > 0 || bullets.length > 0) segments = segmentsWithTables(main.runs, tables, tags);
  }
  return {
    number: page.pageNumber,
    main: { frame: main.frame, segments, isVertical: main.isVertical },
    rotated: others.map(({ frame, runs }: RunLayer) => ({ frame, segments: segmentsOf(runs) })),
    notes: annotations.notes.map(({ text, box }) => ({ text, box: boxOnPage(frameOf(0, 0, 0), box) })),
    references,
  };
}

/** Returns the segments of the text outside tables, and a placeholder segment for each table. */
export function segmentsWithTables(
  runs: readonly Run[],
  tables: readonly DetectedTable[],
  tags: PageTags,
): readonly Segment[] {
  const tableRuns = new Set(tables.flatMap((table) => [...table.runs]));
  const segments = segmentsOf(tableRuns.size === 0 ? runs : runs.filter((run) => !tableRuns.has(run)), tags.headings);
  if (tables.length === 0) return segments;
  const placeholders = tables.map(({ runs, ...table }, i): Segment => {
    const [left, top, right, bottom] = table.box;
    const { size, font } = [...runs].reduce((a, b) => (b.text.length > a.text.length ? b : a));
    const position = { left, top, right, bottom, baseline: top, size, row: -1 - i };
    return { ...position, text: "", font, isArtifact: false, table };
  });
  return [...segments, ...placeholders].sort((a, b) => a.baseline - b.baseline || a.row - b.row || a.left - b.left);
}

function drawnTables(drawing: PageDrawing, runs: readonly Run[]): DetectedTable[] {
  const ruled = ruledTables(drawing.rules, runs);
  const ruledRuns = new Set(ruled.flatMap((table) => [...table.runs]));
  const framed = framedTables(drawing, ruled.length === 0 ? runs : runs.filter((run) => !ruledRuns.has(run)));
  // A listing may have comments beside its lines, and a filled area or rules around it.
  const isProportional = (run: Run): boolean => run.isMonospaced !== true;
  const tables = runs.some(isProportional) ? framed.filter((table) => [...table.runs].some(isProportional)) : framed;
  return [...ruled, ...tables].map((table) => ({ ...table, rows: inReadingDirection(table.rows) }));
}

function drawingInFrame(drawing: PageDrawing, frame: Frame): PageDrawing {
  if (frame.quarterTurns === 0) return drawing;
  const { rules, fills, dots } = drawing;
  return {
    rules: rules.map(({ isHorizontal, at, from, to }) => {
      const [left, top, right, bottom] = boxToFrame(frame, isHorizontal ? [from, at, to, at] : [at, from, at, to]);
      return right - left > bottom - top
        ? { isHorizontal: true, at: top, from: left, to: right }
        : { isHorizontal: false, at: left, from: top, to: bottom };
    }),
    fills: fills.map(({ box, color }) => ({ box: boxToFrame(frame, box), color })),
    dots: dots.map((box) => boxToFrame(frame, box)),
  };
}
