import type { PDFPageProxy } from "pdfjs-dist";
import { greatest, least } from "./lines.js";

/** A piece of text on a page, in points from the page's upper left corner. */
export interface Segment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly baseline: number;
  readonly size: number;
  /** The document's own name for the font. */
  readonly font: string;
  /** Equal for pieces that stand on one line across the page. */
  readonly row: number;
}

export interface PageText {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly segments: readonly Segment[];
  /** Text that runs in another direction than the rest: stamps in the margin, labels of axes. */
  readonly turned: readonly string[];
}

type Run = Omit<Segment, "row">;

/** Gaps wider than this many font sizes part two pieces of a line: columns of text or cells of a table. */
const PIECE_GAP = 0.85;
/** Gaps wider than this many font sizes are a space, also where the file has none. */
const SPACE_GAP = 0.17;

/** Reads the text of a page as pieces of lines, sorted from top to bottom and left to right. */
export async function readPageText(page: PDFPageProxy): Promise<PageText> {
  const { items } = await page.getTextContent();
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const byAngle = new Map<number, Run[]>();
  for (const item of items) {
    if (!("str" in item) || item.str.trim() === "") continue;
    const run = placed(item, transform);
    if (run === null) continue;
    const runs = byAngle.get(run.angle);
    if (runs === undefined) byAngle.set(run.angle, [run]);
    else runs.push(run);
  }
  const [main = [], ...others] = [...byAngle.values()].sort((a, b) => characters(b) - characters(a));
  const turned = others.flatMap((runs) => segmentsOf(runs).map((segment) => segment.text));
  return { number: page.pageNumber, width, height, segments: segmentsOf(main), turned };
}

interface Item {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly fontName: string;
}

/** A run in page coordinates, turned so that its text runs to the right. */
function placed(item: Item, view: readonly number[]): (Run & { readonly angle: number }) | null {
  const [a, b, c, d, e, f] = multiply(view, item.transform);
  const size = Math.hypot(c, d);
  if (!(size > 0.5) || !Number.isFinite(e) || !Number.isFinite(f)) return null;
  const angle = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
  const [x, y] = angle === 0 ? [e, f] : angle === 1 ? [f, -e] : angle === 2 ? [-e, -f] : [-f, e];
  return {
    text: item.str,
    left: x,
    right: x + item.width,
    top: y - size * 0.8,
    bottom: y + size * 0.2,
    baseline: y,
    size,
    font: item.fontName,
    angle,
  };
}

function multiply(m: readonly number[], n: readonly number[]): [number, number, number, number, number, number] {
  const [a, b, c, d, e, f] = m as [number, number, number, number, number, number];
  const [g, h, i, j, k, l] = n as [number, number, number, number, number, number];
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function segmentsOf(runs: readonly Run[]): Segment[] {
  return rowsOf(runs)
    .sort((a, b) => a.baseline - b.baseline)
    .flatMap((row, index) => joinRuns(row.runs, index));
}

interface Row {
  readonly baseline: number;
  readonly size: number;
  readonly runs: Run[];
}

/** Groups runs by baseline; larger runs first, so that raised and lowered small ones find the line they belong to. */
function rowsOf(runs: readonly Run[]): Row[] {
  const rows: Row[] = [];
  const buckets = new Map<number, Row[]>();
  const step = 4;
  for (const run of [...runs].sort((a, b) => b.size - a.size)) {
    const reach = Math.min(10, Math.ceil((run.size * 0.7) / step) + 1);
    const bucket = Math.round(run.baseline / step);
    let best: Row | null = null;
    for (let near = bucket - reach; near <= bucket + reach; near++) {
      for (const row of buckets.get(near) ?? [])
        if (
          belongs(run, row) &&
          (best === null || Math.abs(run.baseline - row.baseline) < Math.abs(run.baseline - best.baseline))
        )
          best = row;
    }
    if (best === null) {
      best = { baseline: run.baseline, size: run.size, runs: [] };
      rows.push(best);
      const known = buckets.get(bucket);
      if (known === undefined) buckets.set(bucket, [best]);
      else known.push(best);
    }
    best.runs.push(run);
  }
  return rows;
}

function belongs(run: Run, row: Row): boolean {
  const rise = Math.abs(run.baseline - row.baseline);
  if (rise <= run.size * 0.25) return true;
  if (run.size > row.size * 0.85 || rise > row.size * 0.5) return false;
  return row.runs.some((other) => run.left < other.right + run.size * 0.4 && run.right > other.left - run.size * 0.4);
}

function joinRuns(runs: Run[], row: number): Segment[] {
  const isRtl = runsRightToLeft(runs);
  runs.sort((a, b) => (isRtl ? b.right - a.right : a.left - b.left));
  const segments: Segment[] = [];
  let open: Run[] = [];
  for (const run of runs) {
    const last = open.at(-1);
    if (last !== undefined && isRepeated(last, run)) continue;
    if (last !== undefined && gapBetween(last, run, isRtl) > Math.max(last.size, run.size) * PIECE_GAP) {
      segments.push(segmentOf(open, row, isRtl));
      open = [];
    }
    open.push(run);
  }
  if (open.length > 0) segments.push(segmentOf(open, row, isRtl));
  return segments;
}

function gapBetween(above: Run, run: Run, isRtl: boolean): number {
  return isRtl ? above.left - run.right : run.left - above.right;
}

/** Whether most letters of a line are Hebrew or Arabic: its pieces follow each other from right to left. */
function runsRightToLeft(runs: readonly Run[]): boolean {
  let letters = 0;
  for (const { text } of runs) {
    letters += text.match(/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/g)?.length ?? 0;
    letters -= text.match(/[a-z]/gi)?.length ?? 0;
  }
  return letters > 0;
}

/** The same text drawn twice a hair apart is how some writers make it bold. */
function isRepeated(a: Run, b: Run): boolean {
  return (
    a.text === b.text && Math.abs(a.left - b.left) < a.size * 0.12 && Math.abs(a.baseline - b.baseline) < a.size * 0.12
  );
}

function segmentOf(runs: readonly Run[], row: number, isRtl: boolean): Segment {
  let text = "";
  let above: Run | undefined;
  for (const run of runs) {
    const isApart = above !== undefined && gapBetween(above, run, isRtl) > run.size * SPACE_GAP;
    if (isApart && !/\s$/.test(text) && !/^\s/.test(run.text)) text += " ";
    text += run.text;
    above = run;
  }
  // The size and font of most of the text are those of the piece.
  const main = runs.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  return {
    text: text.replace(/\s+/g, " ").trim(),
    left: least(runs.map((run) => run.left)),
    right: greatest(runs.map((run) => run.right)),
    top: least(runs.map((run) => run.top)),
    bottom: greatest(runs.map((run) => run.bottom)),
    baseline: main.baseline,
    size: main.size,
    font: main.font,
    row,
  };
}

function characters(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.text.length, 0);
}
