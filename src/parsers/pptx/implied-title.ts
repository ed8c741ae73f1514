import { child, childElements, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

const MAX_TITLE = 100;
/** Default text size, in hundredths of a point. */
const USUAL_SIZE = 1_800;
const TITLE_SIZE = 2_400;
/** Minimum ratio of a title's size to all other text. */
const PROMINENCE = 1.2;

/** The text box that serves as title on a slide without one: the first, of one line, larger than all other text. */
export function impliedTitle(inOrder: readonly XmlElement[]): XmlElement | undefined {
  const [first, ...rest] = inOrder.filter((shape) =>
    [...descendants(shape, "t")].some((text) => /\S/.test(textContent(text))),
  );
  if (first === undefined || first.name !== "sp" || first !== inOrder.find((shape) => shape.name !== "pic"))
    return undefined;
  const lines = childElements(child(first, "txBody"), "p").filter((paragraph) => /\S/.test(textContent(paragraph)));
  const length = lines.reduce((sum, line) => sum + textContent(line).trim().length, 0);
  if (lines.length !== 1 || length > MAX_TITLE) return undefined;
  const size = largest(first);
  return size >= TITLE_SIZE && rest.every((shape) => size >= PROMINENCE * largest(shape)) ? first : undefined;
}

function largest(shape: XmlElement): number {
  let size = 0;
  for (const run of descendants(shape, "r")) {
    const own = Number(child(run, "rPr")?.attributes.sz ?? USUAL_SIZE);
    if (Number.isFinite(own)) size = Math.max(size, own);
  }
  return size;
}
