import type { PageViewport } from "pdfjs-dist";
import type { TextContent, TextItem, TextStyle } from "pdfjs-dist/types/src/display/api.js";
import { getOrCreate } from "../../../util/get-or-create.js";
import { type Matrix, multiply } from "../pdfjs/placed-operations.js";
import { type Edges, type Frame, frameOf, toFrame } from "./frame.js";
import { median } from "./statistics.js";
import { texDecoder } from "./tex-encoding.js";
import { stackedItems } from "./vertical-text.js";

/** Text drawn by one operation, in points of its frame. */
export interface Run extends Edges {
  text: string;
  left: number;
  right: number;
  readonly baseline: number;
  readonly size: number;
  /** The document's name for the font. */
  readonly font: string;
  /** Whether all characters of the font have the same width. @default false */
  readonly isMonospaced?: boolean;
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
  /** Whether lines run downwards, from right to left, with upright characters. */
  readonly isVertical: boolean;
}

interface PlacedRun extends Run {
  readonly layerKey: number;
  readonly frame: Frame;
  /** Whether its characters are upright in a line that runs downwards. */
  readonly isVertical: boolean;
  /** Whether it is one of the characters that are written one below the other without a vertical font. */
  readonly isStacked: boolean;
}

/** Groups a page's text by direction; the direction of most of the text comes first. */
export function runLayers(content: TextContent, page: PageViewport): RunLayer[] {
  const { items, styles } = content;
  const hasNoNames = ({ fontName }: TextItem): boolean => fontOf(styles, fontName)?.name === "Type3";
  const decode = texDecoder(items.filter((item) => "str" in item).filter(hasNoNames));
  const layers = new Map<number, { readonly frame: Frame; readonly runs: PlacedRun[] }>();
  const stacked = page.rotation === 0 ? stackedItems(content) : new Set<TextItem>();
  const stackSize = median([...stacked].map(({ height }) => height));
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
    const text = hasNoNames(item) ? decode(item) : item.str;
    if (text.trim() === "") {
      if (last !== null && text !== "") last.isSpaced = true;
      continue;
    }
    const isVertical = styles[item.fontName]?.vertical === true;
    const isStacked = stacked.has(item);
    const placed = placeRun(item, text, isVertical ? "font" : isStacked ? "stack" : null, page);
    if (placed === null) continue;
    const run = isMonospaced(fontOf(styles, item.fontName)) ? { ...placed, isMonospaced: true } : placed;
    if (last !== null && continuesStack(run, last, stackSize)) {
      last.text += (run.left - last.right > run.size * STACK_SPACE_RATIO ? " " : "") + run.text;
      last.right = run.right;
      continue;
    }
    Object.assign(run, openContent.at(-1));
    getOrCreate(layers, run.layerKey, () => ({ frame: run.frame, runs: [] as PlacedRun[] })).runs.push(run);
    last = run;
  }
  return [...layers.values()]
    .map(({ frame, runs }) => {
      const isVertical = runs.some((run) => run.isVertical);
      return { frame, runs: isVertical ? runs.map(onMiddleLine) : runs, isVertical };
    })
    .sort((a, b) => characterCount(b.runs) - characterCount(a.runs));
}

/** Names of fonts that are of fixed pitch though the file may not say so. */
const MONOSPACED_NAME_PATTERN =
  /courier|consolas|menlo|cmtt|LMMono(?!Prop)|(?:Sans|Serif|Code|Noto|Ubuntu|Roboto|Liberation|DejaVu|JetBrains)\w*[ -]?Mono/i;

/** A font, with its name if the patched worker has read the page. */
type NamedStyle = TextStyle & { readonly name?: string };

function fontOf(styles: TextContent["styles"], font: string): NamedStyle | undefined {
  return styles[font];
}

/** Whether the file says that a font is of fixed pitch, which gives it a family of that name, or its name says so. */
function isMonospaced(style: NamedStyle | undefined): boolean {
  return style?.fontFamily === "monospace" || MONOSPACED_NAME_PATTERN.test(style?.name ?? "");
}

/** A wider gap between stacked characters, as a multiple of the font size, is a space. */
const STACK_SPACE_RATIO = 0.7;

/** Smaller characters, as a share of the size of most, may be readings: a gap is between two of them. */
const MAX_READING_SHARE = 0.65;

/** Whether a character is the next of those written one below the other, most of which have a size. */
function continuesStack(run: PlacedRun, last: PlacedRun, mainSize: number): boolean {
  const gap = run.left - last.right;
  const maxGapRatio = run.size < mainSize * MAX_READING_SHARE ? STACK_SPACE_RATIO : 2.2;
  return (
    run.isStacked &&
    last.isStacked &&
    run.layerKey === last.layerKey &&
    run.font === last.font &&
    Math.abs(run.size - last.size) < run.size * 0.15 &&
    Math.abs(run.baseline - last.baseline) < run.size * 0.3 &&
    gap > -run.size * 0.4 &&
    gap < run.size * maxGapRatio
  );
}

/** Places a run whose letters are turned in a vertical line on the middle of the line, as upright characters are. */
function onMiddleLine(run: PlacedRun): PlacedRun {
  if (run.isVertical) return run;
  const baseline = (run.top + run.bottom) / 2;
  return { ...run, baseline };
}

/** @param vertical Why the characters are upright in a vertical line: by their font or their place; `null` if not. */
function placeRun(
  item: TextItem,
  text: string,
  vertical: "font" | "stack" | null,
  page: PageViewport,
): PlacedRun | null {
  const [a, b, c, d, e, f] = multiply(page.transform as unknown as Matrix, item.transform as unknown as Matrix);
  const size = Math.hypot(c, d);
  if (!(size > 0.5) || !Number.isFinite(e) || !Number.isFinite(f)) return null;
  const turns = Math.atan2(b, a) / (Math.PI / 2);
  const isVertical = vertical !== null;
  const quarterTurns = (Math.round(turns) + (isVertical ? 5 : 4)) % 4;
  const frame = frameOf(quarterTurns, page.width, page.height);
  // Without a vertical font, the origin of a character is the left end of its baseline.
  const [x, y] =
    vertical === "stack" ? toFrame(frame, e + item.width / 2, f - size * STACK_ASCENT_RATIO) : toFrame(frame, e, f);
  const length = vertical === "stack" ? size : isVertical ? item.height : item.width;
  const isSlanted = Math.abs(turns - Math.round(turns)) > 0.1;
  return {
    text: normalizeText(text),
    left: x,
    right: x + length,
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
    isVertical,
    isStacked: vertical === "stack",
  };
}

/** The top of a character above its baseline, as a multiple of the font size. */
const STACK_ASCENT_RATIO = 0.88;
/** The punctuation that is displayed by the vertical forms from U+FE10 and U+FE30 on. */
const VERTICAL_FORMS_FE10 = "，、。：；！？〖〗…";
const VERTICAL_FORMS_FE30 = "‥—–＿﹏（）｛｝〔〕【】《》〈〉「」『』";

/** Normalizes hyphens, spaces of all widths, ligatures, Arabic presentation forms, vertical punctuation and radicals. */
function normalizeText(text: string): string {
  return (
    text
      // Some files map a hyphen to all three characters that look like one.
      .replaceAll("-\u00ad\u2010", "-")
      .replace(/[\ufe10-\ufe19]/g, (form) => VERTICAL_FORMS_FE10[form.charCodeAt(0) - 0xfe10]!)
      .replace(/[\ufe30-\ufe44]/g, (form) => VERTICAL_FORMS_FE30[form.charCodeAt(0) - 0xfe30]!)
      .replace(/[\u2f00-\u2fd5]/g, (radical) => radical.normalize("NFKC"))
      .replace(/[\u00a0\u2000-\u200a\u202f\ufdd0-\ufdef\u{f0000}-\u{ffffd}]/gu, " ")
      .replace(/[\ufb00-\ufb06\ufb13-\ufb4f\ufb50-\ufdfb\ufe70-\ufefc]+/g, (forms) => forms.normalize("NFKC"))
  );
}

function characterCount(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.text.length, 0);
}
