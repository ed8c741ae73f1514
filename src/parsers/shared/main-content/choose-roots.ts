import {
  attribute,
  childElements,
  descendants,
  type HtmlElement,
  type HtmlParent,
  isElement,
} from "../html/html-tree.js";
import type { Boilerplate } from "./boilerplate.js";
import { MAX_LINK_DENSITY } from "./measure.js";

/** An element that the author marks as the text is believed when it has this share of the page's sentences. */
const MARKED_SHARE = 0.5;
/** The text is within a child that has this share of what an element says. */
const CHILD_SHARE = 0.8;
/** What is in no sentence says less: labels of menus, and cells of tables. */
const LABELS_WORTH = 0.2;

const OUTSIDE = { inArticle: false };

/**
 * The elements that hold a page's text: the one that the author marks as such, else the smallest that has nearly all of
 * the sentences with what stands beside it and reads like text. None where no text can be told from the rest.
 */
export function chooseRoots(body: HtmlElement, boilerplate: Boilerplate): readonly HtmlElement[] {
  if (boilerplate.measureOf(body).prose === 0) return [];
  const marked = markedRoot(body, boilerplate);
  const roots = marked === null ? denseRoots(body, boilerplate) : [marked];
  if (roots.some((root) => root.tagName === "h1" || boilerplate.holdsTitle(root))) return roots;
  const title = titleBefore(body, roots, boilerplate);
  return title === null ? roots : [title, ...roots];
}

function markedRoot(body: HtmlElement, boilerplate: Boilerplate): HtmlElement | null {
  const least = contentOf(body, boilerplate) * MARKED_SHARE;
  let main: HtmlElement | null = null;
  for (const element of descendants(body)) {
    const mark = attribute(element, "role") ?? element.tagName;
    if (!/^(?:main|article)$/.test(mark) || boilerplate.measureOf(element).prose < least) continue;
    if (mark === "article") return element;
    main = element;
  }
  return main;
}

/** How much of an element is in sentences, furniture apart. */
function contentOf(element: HtmlElement, boilerplate: Boilerplate): number {
  let { prose } = boilerplate.measureOf(element);
  const gone = boilerplate.within(element, OUTSIDE);
  for (const child of childElements(element)) {
    const inner = boilerplate.measureOf(child).prose;
    if (inner > 0) prose -= inner - (gone.has(child) ? 0 : contentOf(child, boilerplate));
  }
  return prose;
}

function denseRoots(body: HtmlElement, boilerplate: Boilerplate): readonly HtmlElement[] {
  const worth = (element: HtmlElement): number => {
    const { prose, text, link } = boilerplate.measureOf(element);
    return prose + Math.max(0, text - prose - link) * LABELS_WORTH;
  };
  const beside: HtmlElement[] = [];
  let place = body;
  while (true) {
    const gone = boilerplate.within(place, OUTSIDE);
    const children = childElements(place).filter((child) => !gone.has(child));
    const total = children.reduce((sum, child) => sum + worth(child), 0);
    const next = children.find((child) => worth(child) >= total * CHILD_SHARE);
    if (next === undefined || isOnePiece(next, boilerplate)) break;
    beside.push(...children.filter((child) => child !== next));
    place = next;
  }
  const hasTitle = boilerplate.holdsTitle(place);
  return [...beside.filter((element) => readsLikeText(element, boilerplate, hasTitle)), place];
}

function isOnePiece(element: HtmlElement, boilerplate: Boilerplate): boolean {
  if (element.tagName === "table") return !boilerplate.isLayout(element);
  return /^(?:p|pre|ul|ol|dl|blockquote)$/.test(element.tagName);
}

/** Whether what stands beside the text is part of it: its heading, sentences, facts in a list or table. */
function readsLikeText(element: HtmlElement, boilerplate: Boilerplate, hasTitle: boolean): boolean {
  const { text, link, heading, prose } = boilerplate.measureOf(element);
  if (text === 0) return false;
  if (/^h[1-3]$/.test(element.tagName) || (boilerplate.holdsTitle(element) && !hasTitle)) return true;
  if (link > (text - heading) * MAX_LINK_DENSITY) return false;
  if (prose > 0 || /^(?:dl|pre|figure)$/.test(element.tagName)) return true;
  for (const inner of descendants(element)) if (/^(?:dl|table|figcaption|pre)$/.test(inner.tagName)) return true;
  return false;
}

/** The last main heading above the text. */
function titleBefore(body: HtmlElement, roots: readonly HtmlElement[], boilerplate: Boilerplate): HtmlElement | null {
  let title: HtmlElement | null = null;
  for (const element of descendants(body)) {
    if (roots.includes(element)) break;
    if (element.tagName === "h1" && !isWithinFurniture(element, boilerplate)) title = element;
  }
  return title;
}

function isWithinFurniture(element: HtmlElement, boilerplate: Boilerplate): boolean {
  for (let node: HtmlParent | null = element.parentNode; node !== null && isElement(node); node = node.parentNode)
    if (boilerplate.has(node, OUTSIDE)) return true;
  return false;
}
