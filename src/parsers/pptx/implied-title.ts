import { child, childElements, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

const MAX_TITLE_CHARS = 100;
/** The default text size, in hundredths of a point. */
const DEFAULT_SIZE = 1_800;
/** The minimum text size of a title, in hundredths of a point. */
const MIN_TITLE_SIZE = 2_400;
/** The minimum ratio of a title's text size to the size of any other text. */
const MIN_SIZE_RATIO = 1.2;

/**
 * Finds the text box that serves as the title of a slide without a title placeholder: the first text on the slide, if
 * it has one line and is larger than all other text.
 */
export function findImpliedTitle(shapes: readonly XmlElement[]): XmlElement | undefined {
  const [first, ...rest] = shapes.filter((shape) =>
    [...descendants(shape, "t")].some((text) => /\S/.test(textContent(text))),
  );
  if (first === undefined || first.name !== "sp" || first !== shapes.find((shape) => shape.name !== "pic"))
    return undefined;
  const lines = childElements(child(first, "txBody"), "p").filter((paragraph) => /\S/.test(textContent(paragraph)));
  const length = lines.reduce((sum, line) => sum + textContent(line).trim().length, 0);
  if (lines.length !== 1 || length > MAX_TITLE_CHARS) return undefined;
  const size = largestSize(first);
  return size >= MIN_TITLE_SIZE && rest.every((shape) => size >= MIN_SIZE_RATIO * largestSize(shape))
    ? first
    : undefined;
}

function largestSize(shape: XmlElement): number {
  let size = 0;
  for (const run of descendants(shape, "r")) {
    const runSize = Number(child(run, "rPr")?.attributes.sz ?? DEFAULT_SIZE);
    if (Number.isFinite(runSize)) size = Math.max(size, runSize);
  }
  return size;
}
