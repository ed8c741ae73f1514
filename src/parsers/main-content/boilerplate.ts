import { isLayoutTable } from "../html-table.js";
import { descendants, type HtmlElement, type HtmlParent, isElement } from "../html-tree.js";
import { hintsOf } from "./hints.js";
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
  /** Every element that the page's main headings stand in. */
  readonly #aboveTitles = new Set<HtmlParent>();
  readonly #layouts = new Map<HtmlElement, boolean>();

  constructor(measures: ReadonlyMap<HtmlParent, Measure>, page: HtmlElement) {
    this.#measures = measures;
    this.#page = this.measureOf(page);
    for (const element of descendants(page))
      if (element.tagName === "h1")
        for (let node = element.parentNode; node !== null && !this.#aboveTitles.has(node); ) {
          this.#aboveTitles.add(node);
          node = isElement(node) ? node.parentNode : null;
        }
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

  /** The children of an element that are furniture; none where they are most of what it says, as comments of a thread are. */
  within(parent: HtmlElement, place: { readonly inArticle: boolean }): ReadonlySet<HtmlElement> {
    const found = new Set<HtmlElement>();
    let prose = 0;
    for (const child of parent.childNodes) {
      if (!isElement(child) || !this.has(child, place)) continue;
      found.add(child);
      prose += this.measureOf(child).prose;
    }
    return prose > this.#page.prose * BULK ? new Set() : found;
  }

  /** Whether an element is furniture, by what it is, what it is called, and how much of it is links. */
  has(element: HtmlElement, { inArticle }: { readonly inArticle: boolean }): boolean {
    const { tagName } = element;
    const measure = this.measureOf(element);
    if (TEXT.test(tagName) || this.#isBulk(measure) || !this.#isMovable(element)) return false;
    const hints = hintsOf(element);
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
    return this.#page.prose > 0 ? prose > this.#page.prose * BULK : text > this.#page.text * BULK;
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
