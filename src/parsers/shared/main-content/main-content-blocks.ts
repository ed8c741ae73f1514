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
 * Returns the blocks of a page's main content, once for each element of `imageSettings`, and removes everything else
 * from `document`. If the main content has no text, reads the whole page.
 *
 * @param html The source of the document.
 * @param imageSettings For each result, whether it includes images.
 */
export function mainContentBlocks(
  html: string,
  document: HtmlParent,
  imageSettings: readonly boolean[],
): readonly (readonly Block[])[] {
  keepMainContent(document);
  let wholePage: HtmlParent | null = null;
  return imageSettings.map((addsImages) => {
    const blocks = htmlBlocks(document, { addsImages });
    if (blocks.some(({ kind }) => kind !== "page_header" && kind !== "page_footer")) return blocks;
    wholePage ??= parseHtml(html);
    return htmlBlocks(wholePage, { addsImages });
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
  const isInArticle = roots.length > 0;
  if (isInArticle) keepOnly(body, new Set(roots), new Set(roots.flatMap((root) => [...ancestors(root)])));
  for (const root of isInArticle ? roots : [body]) prune(root, classifier, isInArticle);
}

function keepOnly(parent: HtmlParent, roots: ReadonlySet<HtmlParent>, outer: ReadonlySet<HtmlParent>): void {
  if (!isElement(parent) || !roots.has(parent)) {
    parent.childNodes = parent.childNodes.filter((node) => isElement(node) && (roots.has(node) || outer.has(node)));
    for (const child of childElements(parent)) keepOnly(child, roots, outer);
  }
}

function prune(parent: HtmlElement, classifier: BoilerplateClassifier, isInArticle: boolean): void {
  const removed = new Set(classifier.boilerplateChildren(parent, isInArticle));
  for (const heading of emptiedHeadings(childElements(parent), removed)) removed.add(heading);
  if (removed.size > 0) parent.childNodes = parent.childNodes.filter((node) => !isElement(node) || !removed.has(node));
  for (const child of childElements(parent)) prune(child, classifier, isInArticle);
}

/**
 * Finds the headings whose section is removed, except a first child: it may be the heading of what follows its parent.
 */
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
