import type { Block } from "../../../interfaces/block.js";
import { htmlBlocks } from "../html/html-to-blocks.js";
import {
  ancestors,
  childElements,
  type HtmlElement,
  type HtmlParent,
  isElement,
  isHeading,
  parseHtml,
} from "../html/html-tree.js";
import { BoilerplateClassifier } from "./boilerplate-classifier.js";
import { chooseRoots } from "./choose-roots.js";
import { measureText } from "./measure.js";
import { showPanels } from "./show-panels.js";

/**
 * The blocks of a page's main content, once for each way to treat its images. If the main content has no text, the
 * whole page is read. Removes everything else from the document.
 *
 * @param html The source of the document.
 * @param images For each result, whether it has images.
 */
export function mainContentBlocks(
  html: string,
  document: HtmlParent,
  images: readonly boolean[],
): readonly (readonly Block[])[] {
  keepMainContent(document);
  let whole: HtmlParent | null = null;
  return images.map((addsImages) => {
    const blocks = htmlBlocks(document, { addsImages });
    if (blocks.some(({ kind }) => kind !== "page_header" && kind !== "page_footer")) return blocks;
    whole ??= parseHtml(html);
    return htmlBlocks(whole, { addsImages });
  });
}

/**
 * Removes menus, banners, bars, teasers, forms and footers. Without recognisable main content, removes only what is
 * boilerplate by its tag or names.
 */
function keepMainContent(document: HtmlParent): void {
  const body = childElements(document)
    .flatMap(childElements)
    .find(({ tagName }) => tagName === "body");
  if (body === undefined) return;
  showPanels(body);
  const classifier = new BoilerplateClassifier(measureText(body), body);
  const roots = chooseRoots(body, classifier);
  const inArticle = roots.length > 0;
  if (inArticle) keepOnly(body, new Set(roots), new Set(roots.flatMap((root) => [...ancestors(root)])));
  for (const root of inArticle ? roots : [body]) prune(root, classifier, inArticle);
}

function keepOnly(parent: HtmlParent, roots: ReadonlySet<HtmlParent>, outer: ReadonlySet<HtmlParent>): void {
  if (!isElement(parent) || !roots.has(parent)) {
    parent.childNodes = parent.childNodes.filter((node) => isElement(node) && (roots.has(node) || outer.has(node)));
    for (const child of childElements(parent)) keepOnly(child, roots, outer);
  }
}

function prune(parent: HtmlElement, classifier: BoilerplateClassifier, inArticle: boolean): void {
  const removed = new Set(classifier.boilerplateChildren(parent, inArticle));
  for (const heading of emptiedHeadings(childElements(parent), removed)) removed.add(heading);
  if (removed.size > 0) parent.childNodes = parent.childNodes.filter((node) => !isElement(node) || !removed.has(node));
  for (const child of childElements(parent)) prune(child, classifier, inArticle);
}

/** Headings whose section is removed. The first child is kept: it may be the heading of what follows its parent. */
function emptiedHeadings(children: readonly HtmlElement[], removed: ReadonlySet<HtmlElement>): readonly HtmlElement[] {
  return children.filter((child, index) => {
    const level = levelOf(child);
    if (level === null || level === 1 || index === 0 || !removed.has(children[index + 1]!)) return false;
    const next = children.slice(index + 1).find((other) => !removed.has(other));
    return next === undefined || (levelOf(next) ?? 7) <= level;
  });
}

function levelOf(element: HtmlElement): number | null {
  return isHeading(element) ? Number(element.tagName[1]) : null;
}
