import { child, childElements, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

const MAX_TITLE_CHARS = 100;
/** Default text size, in hundredths of a point. */
const DEFAULT_SIZE = 1_800;
const TITLE_SIZE = 2_400;
/** Minimum ratio of a title's size to that of all other text. */
const MIN_SIZE_RATIO = 1.2;

/** The text box that serves as title on a slide without one: the first, of one line, larger than all other text. */
export function impliedTitle(shapes: readonly XmlElement[]): XmlElement | undefined {
  const [first, ...rest] = shapes.filter((shape) =>
    [...descendants(shape, "t")].some((text) => /\S/.test(textContent(text))),
  );
  if (first === undefined || first.name !== "sp" || first !== shapes.find((shape) => shape.name !== "pic"))
    return undefined;
  const lines = childElements(child(first, "txBody"), "p").filter((paragraph) => /\S/.test(textContent(paragraph)));
  const length = lines.reduce((sum, line) => sum + textContent(line).trim().length, 0);
  if (lines.length !== 1 || length > MAX_TITLE_CHARS) return undefined;
  const size = largestSize(first);
  return size >= TITLE_SIZE && rest.every((shape) => size >= MIN_SIZE_RATIO * largestSize(shape)) ? first : undefined;
}

function largestSize(shape: XmlElement): number {
  let size = 0;
  for (const run of descendants(shape, "r")) {
    const runSize = Number(child(run, "rPr")?.attributes.sz ?? DEFAULT_SIZE);
    if (Number.isFinite(runSize)) size = Math.max(size, runSize);
  }
  return size;
}
