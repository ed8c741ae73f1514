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
  /** Id of the run's marked content, by which structure tags refer to the run; `null` if it has none. */
  contentId: string | null;
  /** Whether the run is tagged as an artifact: a page header or footer, or decoration. */
  isArtifact: boolean;
}

/** The runs of a page in one direction. */
export interface RunLayer {
  readonly frame: Frame;
  readonly runs: Run[];
}

interface PlacedRun extends Run {
  readonly layerKey: number;
  readonly frame: Frame;
}

/** Groups a page's text by direction; the direction of most of the text comes first. */
export function runLayers({ items, styles }: TextContent, page: PageViewport): RunLayer[] {
  const layers = new Map<number, RunLayer>();
  const openContent: { readonly contentId: string | null; readonly isArtifact: boolean }[] = [];
  let last: PlacedRun | null = null;
  for (const item of items) {
    if (!("str" in item)) {
      if (item.type === "endMarkedContent") openContent.pop();
      else {
        const enclosing = openContent.at(-1);
        const isArtifact = ("tag" in item ? item.tag : null) === "Artifact" || enclosing?.isArtifact === true;
        openContent.push({ contentId: item.id ?? enclosing?.contentId ?? null, isArtifact });
      }
      continue;
    }
    if (item.str.trim() === "") {
      if (last !== null && item.str !== "") last.isSpaced = true;
      continue;
    }
    const isVertical = styles[item.fontName]?.vertical === true;
    const run = placeRun(item, isVertical, page);
    if (run === null) continue;
    Object.assign(run, openContent.at(-1));
    getOrCreate(layers, run.layerKey, () => ({ frame: run.frame, runs: [] })).runs.push(run);
    last = run;
  }
  return [...layers.values()].sort((a, b) => characterCount(b.runs) - characterCount(a.runs));
}

function placeRun(item: TextItem, isVertical: boolean, page: PageViewport): PlacedRun | null {
  const [a, b, c, d, e, f] = multiply(page.transform as unknown as Matrix, item.transform as unknown as Matrix);
  const size = Math.hypot(c, d);
  if (!(size > 0.5) || !Number.isFinite(e) || !Number.isFinite(f)) return null;
  const turns = Math.atan2(b, a) / (Math.PI / 2);
  const quarterTurns = (Math.round(turns) + (isVertical ? 5 : 4)) % 4;
  const frame = frameOf(quarterTurns, page.width, page.height);
  const [x, y] = toFrame(frame, e, f);
  const isSlanted = Math.abs(turns - Math.round(turns)) > 0.1;
  return {
    text: normalizeText(item.str),
    left: x,
    right: x + (isVertical ? item.height : item.width),
    top: y - size * (isVertical ? 0.5 : 0.8),
    bottom: y + size * (isVertical ? 0.5 : 0.2),
    baseline: y,
    size,
    font: item.fontName,
    isSpaced: false,
    contentId: null,
    isArtifact: false,
    layerKey: isSlanted ? quarterTurns + 4 : quarterTurns,
    frame,
  };
}

/** Normalizes spaces of all widths, ligatures and Arabic presentation forms. */
function normalizeText(text: string): string {
  return text
    .replace(/[\u00a0\u2000-\u200a\u202f\ufdd0-\ufdef\u{f0000}-\u{ffffd}]/gu, " ")
    .replace(/[\ufb00-\ufb06\ufb13-\ufb4f\ufb50-\ufdfb\ufe70-\ufefc]+/g, (forms) => forms.normalize("NFKC"));
}

function characterCount(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.text.length, 0);
}
