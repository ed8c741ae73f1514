import {
  ancestors,
  attribute,
  childElements,
  descendants,
  type HtmlElement,
  hasDescendant,
} from "../html/html-tree.js";
import type { BoilerplateClassifier } from "./boilerplate-classifier.js";
import { MAX_LINK_DENSITY } from "./measure.js";

/** The minimum share of the page's sentences in a `main` or `article` that counts as the main content. */
const MIN_MARKED_SHARE = 0.5;
/** The main content is in the child that has at least this share of its parent's text. */
const CHILD_SHARE = 0.8;
/** The weight of text outside of sentences, such as labels of menus and cells of tables. */
const LABEL_WEIGHT = 0.2;

/**
 * Returns the elements that contain a page's main content: `main` or `article`, otherwise the smallest element with
 * nearly all sentences, and the elements beside it that read like text. Empty if no main content is recognisable.
 */
export function chooseRoots(body: HtmlElement, classifier: BoilerplateClassifier): readonly HtmlElement[] {
  if (classifier.measureOf(body).proseLetters === 0) return [];
  const marked = markedRoot(body, classifier);
  const roots = marked === null ? denseRoots(body, classifier) : [marked];
  if (roots.some((root) => root.tagName === "h1" || classifier.containsTitle(root))) return roots;
  const title = titleBefore(body, roots, classifier);
  return title === null ? roots : [title, ...roots];
}

/** Returns the first `article`, or else the last `main`, that has enough of the sentences; `null` if there is none. */
function markedRoot(body: HtmlElement, classifier: BoilerplateClassifier): HtmlElement | null {
  const minLetters = contentLetters(body, classifier) * MIN_MARKED_SHARE;
  let main: HtmlElement | null = null;
  for (const element of descendants(body)) {
    const role = attribute(element, "role") ?? element.tagName;
    if (!/^(?:main|article)$/.test(role) || classifier.measureOf(element).proseLetters < minLetters) continue;
    if (role === "article") return element;
    main = element;
  }
  return main;
}

/** Returns the number of letters in an element's sentences, without its boilerplate. */
function contentLetters(element: HtmlElement, classifier: BoilerplateClassifier): number {
  let { proseLetters } = classifier.measureOf(element);
  const removed = classifier.boilerplateChildren(element, false);
  for (const child of childElements(element)) {
    const inner = classifier.measureOf(child).proseLetters;
    if (inner > 0) proseLetters -= inner - (removed.has(child) ? 0 : contentLetters(child, classifier));
  }
  return proseLetters;
}

/** Returns the elements that read like text, followed by the smallest element beside them with nearly all sentences. */
function denseRoots(body: HtmlElement, classifier: BoilerplateClassifier): readonly HtmlElement[] {
  const weigh = (element: HtmlElement): number => {
    const { proseLetters, textLetters, linkLetters } = classifier.measureOf(element);
    return proseLetters + Math.max(0, textLetters - proseLetters - linkLetters) * LABEL_WEIGHT;
  };
  const siblings: HtmlElement[] = [];
  let root = body;
  while (true) {
    const removed = classifier.boilerplateChildren(root, false);
    const children = childElements(root).filter((child) => !removed.has(child));
    const total = children.reduce((sum, child) => sum + weigh(child), 0);
    const next = children.find((child) => weigh(child) >= total * CHILD_SHARE);
    if (next === undefined || isAtomic(next, classifier)) break;
    siblings.push(...children.filter((child) => child !== next));
    root = next;
  }
  const hasTitle = classifier.containsTitle(root);
  return [...siblings.filter((element) => readsLikeText(element, classifier, hasTitle)), root];
}

function isAtomic(element: HtmlElement, classifier: BoilerplateClassifier): boolean {
  if (element.tagName === "table") return !classifier.isLayout(element);
  return /^(?:p|pre|ul|ol|dl|blockquote)$/.test(element.tagName);
}

/** Whether an element beside the main content is part of it: a heading, sentences, facts in a list or table. */
function readsLikeText(element: HtmlElement, classifier: BoilerplateClassifier, hasTitle: boolean): boolean {
  const { textLetters, linkLetters, headingLetters, proseLetters } = classifier.measureOf(element);
  if (textLetters === 0) return false;
  if (/^h[1-3]$/.test(element.tagName) || (classifier.containsTitle(element) && !hasTitle)) return true;
  if (linkLetters > (textLetters - headingLetters) * MAX_LINK_DENSITY) return false;
  if (proseLetters > 0 || /^(?:dl|pre|figure)$/.test(element.tagName)) return true;
  return hasDescendant(element, /^(?:dl|table|figcaption|pre)$/);
}

/** Returns the last main heading above the roots; `null` if there is none. */
function titleBefore(
  body: HtmlElement,
  roots: readonly HtmlElement[],
  classifier: BoilerplateClassifier,
): HtmlElement | null {
  let title: HtmlElement | null = null;
  for (const element of descendants(body)) {
    if (roots.includes(element)) break;
    if (element.tagName === "h1" && !isWithinBoilerplate(element, classifier)) title = element;
  }
  return title;
}

function isWithinBoilerplate(element: HtmlElement, classifier: BoilerplateClassifier): boolean {
  return [...ancestors(element)].some((outer) => classifier.isBoilerplate(outer, false));
}
