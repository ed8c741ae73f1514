import type { PageViewport } from "pdfjs-dist";
import type { TextContent, TextItem } from "pdfjs-dist/types/src/display/api.js";
import { getOrCreate } from "../../util/get-or-create.js";
import { type Edges, type Frame, frameOf, toFrame } from "./frame.js";
import { type Matrix, multiply } from "./placed-operations.js";

/** Text drawn by one operation, in points of its frame. */
export interface Run extends Edges {
  text: string;
  left: number;
  readonly baseline: number;
  readonly size: number;
  /** The document's name for the font. */
  readonly font: string;
  /** Whether the file has a space between this and the next run. */
  isSpaced: boolean;
  /** Id of the marked content for the document's tags; `null` if it has none. */
  content: string | null;
  /** Tagged as an artifact: page headers, footers, decoration. */
  isArtifact: boolean;
}

/** The runs of a page in one direction. */
export interface RunLayer {
  readonly frame: Frame;
  readonly runs: Run[];
}

interface PlacedRun extends Run {
  readonly key: number;
  readonly frame: Frame;
}

/** Groups a page's text by direction; the direction of most of it comes first. */
export function runLayers({ items, styles }: TextContent, page: PageViewport): RunLayer[] {
  const layers = new Map<number, RunLayer>();
  const marks: { readonly content: string | null; readonly isArtifact: boolean }[] = [];
  let last: PlacedRun | null = null;
  for (const item of items) {
    if (!("str" in item)) {
      if (item.type === "endMarkedContent") marks.pop();
      else {
        const around = marks.at(-1);
        const isArtifact = ("tag" in item ? item.tag : null) === "Artifact" || around?.isArtifact === true;
        marks.push({ content: item.id ?? around?.content ?? null, isArtifact });
      }
      continue;
    }
    if (item.str.trim() === "") {
      if (last !== null && item.str !== "") last.isSpaced = true;
      continue;
    }
    const isVertical = styles[item.fontName]?.vertical === true;
    const run = placed(item, isVertical, page);
    if (run === null) continue;
    Object.assign(run, marks.at(-1));
    getOrCreate(layers, run.key, () => ({ frame: run.frame, runs: [] })).runs.push(run);
    last = run;
  }
  return [...layers.values()].sort((a, b) => characters(b.runs) - characters(a.runs));
}

function placed(item: TextItem, isVertical: boolean, page: PageViewport): PlacedRun | null {
  const [a, b, c, d, e, f] = multiply(page.transform as unknown as Matrix, item.transform as unknown as Matrix);
  const size = Math.hypot(c, d);
  if (!(size > 0.5) || !Number.isFinite(e) || !Number.isFinite(f)) return null;
  const turns = Math.atan2(b, a) / (Math.PI / 2);
  const angle = (Math.round(turns) + (isVertical ? 5 : 4)) % 4;
  const frame = frameOf(angle, page.width, page.height);
  const [x, y] = toFrame(frame, e, f);
  const isSlanted = Math.abs(turns - Math.round(turns)) > 0.1;
  return {
    text: readable(item.str),
    left: x,
    right: x + (isVertical ? item.height : item.width),
    top: y - size * (isVertical ? 0.5 : 0.8),
    bottom: y + size * (isVertical ? 0.5 : 0.2),
    baseline: y,
    size,
    font: item.fontName,
    isSpaced: false,
    content: null,
    isArtifact: false,
    key: isSlanted ? angle + 4 : angle,
    frame,
  };
}

/** Normalizes spaces of all widths, ligatures and Arabic presentation forms. */
function readable(text: string): string {
  return text
    .replace(/[\u00a0\u2000-\u200a\u202f\ufdd0-\ufdef\u{f0000}-\u{ffffd}]/gu, " ")
    .replace(/[\ufb00-\ufb06\ufb13-\ufb4f\ufb50-\ufdfb\ufe70-\ufefc]+/g, (forms) => forms.normalize("NFKC"));
}

function characters(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.text.length, 0);
}
