import { childElements, descendants, type HtmlElement, type HtmlParent, isElement } from "../html/html-tree.js";
import { Boilerplate } from "./boilerplate.js";
import { chooseRoots } from "./choose-roots.js";
import { measureText } from "./measure.js";
import { showPanels } from "./show-panels.js";

/**
 * Takes out of a page's tree what is not its text: menus, banners, bars, teasers, forms, footers. What is there for
 * visitors of any page, however much, makes no page empty: where no text can be told from the rest, all of it stays
 * that is not plainly furniture.
 */
export function keepMainContent(document: HtmlParent): void {
  const body = bodyOf(document);
  if (body === null) return;
  showPanels(body);
  const boilerplate = new Boilerplate(measureText(body), body);
  const roots = chooseRoots(body, boilerplate);
  const inArticle = roots.length > 0;
  if (inArticle) keepOnly(body, new Set(roots), ancestorsOf(roots));
  for (const root of inArticle ? roots : [body]) prune(root, boilerplate, inArticle);
}

function bodyOf(document: HtmlParent): HtmlElement | null {
  for (const element of descendants(document)) if (element.tagName === "body") return element;
  return null;
}

function keepOnly(parent: HtmlParent, roots: ReadonlySet<HtmlParent>, above: ReadonlySet<HtmlParent>): void {
  if (!isElement(parent) || !roots.has(parent)) {
    parent.childNodes = parent.childNodes.filter((node) => isElement(node) && (roots.has(node) || above.has(node)));
    for (const child of childElements(parent)) keepOnly(child, roots, above);
  }
}

function ancestorsOf(elements: readonly HtmlElement[]): ReadonlySet<HtmlParent> {
  const above = new Set<HtmlParent>();
  for (const element of elements)
    for (let node = element.parentNode; node !== null; node = isElement(node) ? node.parentNode : null) above.add(node);
  return above;
}

function prune(parent: HtmlElement, boilerplate: Boilerplate, inArticle: boolean): void {
  const gone = new Set(boilerplate.within(parent, { inArticle }));
  for (const heading of emptied(childElements(parent), gone)) gone.add(heading);
  if (gone.size > 0) parent.childNodes = parent.childNodes.filter((node) => !isElement(node) || !gone.has(node));
  for (const child of childElements(parent)) prune(child, boilerplate, inArticle);
}

/**
 * Headings over what is taken out, and over nothing else; one that has its parent to itself is over what follows that.
 */
function emptied(children: readonly HtmlElement[], gone: ReadonlySet<HtmlElement>): readonly HtmlElement[] {
  return children.filter((child, index) => {
    const level = levelOf(child);
    if (level === null || level === 1 || index === 0 || !gone.has(children[index + 1]!)) return false;
    const next = children.slice(index + 1).find((other) => !gone.has(other));
    return next === undefined || (levelOf(next) ?? 7) <= level;
  });
}

function levelOf(element: HtmlElement): number | null {
  return /^h[1-6]$/.test(element.tagName) ? Number(element.tagName[1]) : null;
}
