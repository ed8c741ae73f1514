import { isLayoutTable } from "../html/html-table.js";
import {
  attribute,
  childElements,
  descendants,
  type HtmlElement,
  type HtmlParent,
  isElement,
} from "../html/html-tree.js";
import { type Hints, hintsOf } from "./hints.js";
import { MAX_LINK_DENSITY, type Measure } from "./measure.js";

/** What has this share of a page's sentences is no furniture, whatever it is called. */
const BULK = 0.4;
/** A label, in letters. */
const SHORT = 60;
/** From this share of links on, several of them are a list of links. */
const LINK_LIST_DENSITY = 0.6;
/** Entries of menus are shorter than four words; titles of articles are longer. */
const TITLE = 24;

/** Elements that are part of a text wherever they are; only what is around them may be furniture. */
const TEXT =
  /^(?:html|body|main|h1|pre|code|thead|tbody|tfoot|dt|dd|blockquote|figure|figcaption|caption|details|summary|br)$/;

/** Tells what leads about a site, or asks something of its visitor, from what a page is there for. */
export class Boilerplate {
  readonly #measures: ReadonlyMap<HtmlParent, Measure>;
  readonly #page: Measure;
  /** The page's sentences, those of plain furniture apart. */
  readonly #prose: number;
  /** Every element that the page's main headings stand in. */
  readonly #aboveTitles: ReadonlySet<HtmlParent>;
  /** Every element that a part stands in which its author marks as text. */
  readonly #aboveTexts: ReadonlySet<HtmlParent>;
  readonly #layouts = new Map<HtmlElement, boolean>();

  constructor(measures: ReadonlyMap<HtmlParent, Measure>, page: HtmlElement) {
    this.#measures = measures;
    this.#page = this.measureOf(page);
    this.#aboveTitles = above(page, /^h1$/);
    this.#aboveTexts = above(page, /^(?:main|article)$/);
    this.#prose = this.#proseOf(page);
  }

  measureOf(element: HtmlElement): Measure {
    return this.#measures.get(element) ?? { text: 0, link: 0, heading: 0, prose: 0, links: 0 };
  }

  /** Whether a page's main heading is within an element. */
  holdsTitle(element: HtmlElement): boolean {
    return this.#aboveTitles.has(element);
  }

  /** Whether a table only places things on the page. */
  isLayout(table: HtmlElement): boolean {
    const known = this.#layouts.get(table) ?? isLayoutTable(table);
    this.#layouts.set(table, known);
    return known;
  }

  /**
   * The children of an element that are furniture; none of a kind that is most of what the page says, as a thread's
   * comments are.
   */
  within(parent: HtmlElement, place: { readonly inArticle: boolean }): ReadonlySet<HtmlElement> {
    const kinds = new Map<string, HtmlElement[]>();
    for (const child of childElements(parent)) {
      if (!this.has(child, place)) continue;
      const kind = `${child.tagName} ${attribute(child, "class") ?? ""}`;
      const others = kinds.get(kind);
      if (others) others.push(child);
      else kinds.set(kind, [child]);
    }
    const saysMost = (elements: readonly HtmlElement[]) =>
      elements.length > 1 &&
      elements.reduce((sum, element) => sum + this.measureOf(element).prose, 0) > this.#prose * BULK;
    return new Set([...kinds.values()].filter((elements) => !saysMost(elements)).flat());
  }

  /** Whether an element is furniture, by what it is, what it is called, and how much of it is links. */
  has(element: HtmlElement, { inArticle }: { readonly inArticle: boolean }): boolean {
    const { tagName } = element;
    const measure = this.measureOf(element);
    if (TEXT.test(tagName) || !this.#isMovable(element)) return false;
    const hints = hintsOf(element);
    if (this.#isBulk(measure) && !(this.#prose < this.#page.prose && this.#isPlain(element, hints))) return false;
    if (this.holdsTitle(element) && !hints.dialog) return false;
    // A chapter on cookies is called so, too.
    if (hints.consent && (!inArticle || tagName === "div")) return true;
    if (hints.apart || /^(?:nav|search|form|fieldset)$/.test(tagName)) return true;
    if (/^h[2-6]$/.test(tagName)) return false;
    const isLinked = measure.link > (measure.text - measure.heading) * MAX_LINK_DENSITY;
    if (tagName === "footer") return !inArticle || isLinked || measure.prose === 0;
    if (tagName === "aside") return !inArticle || isLinked;
    if (tagName === "header" && !inArticle) return true;
    const isLabel = measure.prose === 0 && measure.text < SHORT && measure.heading === 0;
    return (hints.vague && (isLinked || isLabel)) || this.#isLinkList(element, measure, inArticle);
  }

  #isBulk({ prose, text }: Measure): boolean {
    return this.#page.prose > 0 ? prose > this.#prose * BULK : text > this.#page.text * BULK;
  }

  /** A notice may be longer than the text that it lies on; nothing else than plain furniture may be most of a page. */
  #isPlain(element: HtmlElement, hints: Hints): boolean {
    if (this.holdsTitle(element) || this.#aboveTexts.has(element) || TEXT.test(element.tagName)) return false;
    return (
      hints.dialog || (hints.consent && element.tagName === "div") || /^(?:nav|footer|dialog)$/.test(element.tagName)
    );
  }

  #proseOf(page: HtmlElement): number {
    let { prose } = this.#page;
    const pending = childElements(page);
    for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
      if (/^(?:main|article)$/.test(element.tagName)) continue;
      if (this.#isPlain(element, hintsOf(element))) prose -= this.measureOf(element).prose;
      else pending.push(...childElements(element));
    }
    return prose > 0 ? prose : this.#page.prose;
  }

  /** Rows and cells of a table of data belong together; those of one that places things don't. */
  #isMovable(element: HtmlElement): boolean {
    if (element.tagName === "table") return this.isLayout(element);
    if (!/^t[rdh]$/.test(element.tagName)) return true;
    for (let node = element.parentNode; node !== null && isElement(node); node = node.parentNode)
      if (node.tagName === "table") return this.isLayout(node);
    return false;
  }

  /** Several links, and little beside them; within a text, those that are titles of things to read are part of it. */
  #isLinkList({ tagName }: HtmlElement, measure: Measure, inArticle: boolean): boolean {
    const { links, link, text, heading, prose } = measure;
    if (links < 2 || prose > 0 || /^(?:li|p)$/.test(tagName) || text > this.#page.text * BULK) return false;
    if (inArticle && link > links * TITLE) return false;
    return link > (text - heading) * LINK_LIST_DENSITY;
  }
}

/** Every element that one of some names stands in. */
function above(page: HtmlElement, names: RegExp): ReadonlySet<HtmlParent> {
  const found = new Set<HtmlParent>();
  for (const element of descendants(page))
    if (names.test(element.tagName))
      for (let node = element.parentNode; node !== null && !found.has(node); ) {
        found.add(node);
        node = isElement(node) ? node.parentNode : null;
      }
  return found;
}
