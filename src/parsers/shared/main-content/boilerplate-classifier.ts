import { isLayoutTable } from "../html/html-table.js";
import {
  ancestors,
  attribute,
  childElements,
  descendants,
  type HtmlElement,
  type HtmlParent,
} from "../html/html-tree.js";
import { type Hints, hintsOf } from "./hints.js";
import { MAX_LINK_DENSITY, type Measure } from "./measure.js";

/** An element with a larger share of the page's sentences is content, whatever its class and id. */
const MAIN_SHARE = 0.4;
/** A text with more letters is not a label. */
const MAX_LABEL_LETTERS = 60;
/** An element in which links have a larger share of the text is a list of links. */
const LINK_LIST_DENSITY = 0.6;
/** The maximum average length of links in a menu; titles of articles are longer. */
const MAX_MENU_LINK_LETTERS = 24;

/** Matches the elements that are never boilerplate themselves; only elements around them can be. */
const CONTENT_TAG_PATTERN =
  /^(?:html|body|main|h1|pre|code|thead|tbody|tfoot|dt|dd|blockquote|figure|figcaption|caption|details|summary|br)$/;

/** Distinguishes a page's navigation, notices, forms and teasers from its content. */
export class BoilerplateClassifier {
  readonly #measures: ReadonlyMap<HtmlParent, Measure>;
  readonly #page: Measure;
  /** Letters in sentences, except in evident boilerplate. */
  readonly #proseLetters: number;
  /** All elements around the page's main headings. */
  readonly #aroundTitles: ReadonlySet<HtmlElement>;
  /** All elements around `main` and `article`. */
  readonly #aroundMain: ReadonlySet<HtmlElement>;
  readonly #isLayoutByTable = new Map<HtmlElement, boolean>();

  constructor(measures: ReadonlyMap<HtmlParent, Measure>, page: HtmlElement) {
    this.#measures = measures;
    this.#page = this.measureOf(page);
    this.#aroundTitles = elementsAround(page, /^h1$/);
    this.#aroundMain = elementsAround(page, /^(?:main|article)$/);
    this.#proseLetters = this.#countProseLetters(page);
  }

  measureOf(element: HtmlElement): Measure {
    return (
      this.#measures.get(element) ?? {
        textLetters: 0,
        linkLetters: 0,
        headingLetters: 0,
        proseLetters: 0,
        linkCount: 0,
      }
    );
  }

  /** Whether an element contains a main heading of the page. */
  containsTitle(element: HtmlElement): boolean {
    return this.#aroundTitles.has(element);
  }

  /** Whether a table is only used for layout. */
  isLayout(table: HtmlElement): boolean {
    const known = this.#isLayoutByTable.get(table) ?? isLayoutTable(table);
    this.#isLayoutByTable.set(table, known);
    return known;
  }

  /**
   * Returns the children of an element that are boilerplate. Children of the same tag and class that together have much
   * of the page's sentences are content, such as the comments of a thread.
   *
   * @param isInArticle Whether the element is part of the main content.
   */
  boilerplateChildren(parent: HtmlElement, isInArticle: boolean): ReadonlySet<HtmlElement> {
    const kinds = new Map<string, HtmlElement[]>();
    for (const child of childElements(parent)) {
      if (!this.isBoilerplate(child, isInArticle)) continue;
      const kind = `${child.tagName} ${attribute(child, "class") ?? ""}`;
      const others = kinds.get(kind);
      if (others) others.push(child);
      else kinds.set(kind, [child]);
    }
    const isMain = (elements: readonly HtmlElement[]) =>
      elements.length > 1 &&
      elements.reduce((sum, element) => sum + this.measureOf(element).proseLetters, 0) >
        this.#proseLetters * MAIN_SHARE;
    return new Set([...kinds.values()].filter((elements) => !isMain(elements)).flat());
  }

  /** Whether an element is boilerplate, by its tag, role, class, id and share of links. */
  isBoilerplate(element: HtmlElement, isInArticle: boolean): boolean {
    const { tagName } = element;
    const measure = this.measureOf(element);
    if (CONTENT_TAG_PATTERN.test(tagName) || !this.#isRemovable(element)) return false;
    const hints = hintsOf(element);
    if (this.#isMain(measure) && !(this.#proseLetters < this.#page.proseLetters && this.#isEvident(element, hints)))
      return false;
    if (this.containsTitle(element) && !hints.isDialog) return false;
    // A chapter on cookies may have such an id.
    if (hints.isConsent && (!isInArticle || tagName === "div")) return true;
    if (hints.isBoilerplate || /^(?:nav|search|form|fieldset)$/.test(tagName)) return true;
    if (/^h[2-6]$/.test(tagName)) return false;
    const isLinked = measure.linkLetters > (measure.textLetters - measure.headingLetters) * MAX_LINK_DENSITY;
    if (tagName === "footer") return !isInArticle || isLinked || measure.proseLetters === 0;
    if (tagName === "aside") return !isInArticle || isLinked;
    if (tagName === "header" && !isInArticle) return true;
    const isLabel =
      measure.proseLetters === 0 && measure.textLetters < MAX_LABEL_LETTERS && measure.headingLetters === 0;
    return (hints.isAmbiguous && (isLinked || isLabel)) || this.#isLinkList(element, measure, isInArticle);
  }

  #isMain({ proseLetters, textLetters }: Measure): boolean {
    return this.#page.proseLetters > 0
      ? proseLetters > this.#proseLetters * MAIN_SHARE
      : textLetters > this.#page.textLetters * MAIN_SHARE;
  }

  /** Whether an element is boilerplate even if it has most of a page's text, such as a notice over a short text. */
  #isEvident(element: HtmlElement, hints: Hints): boolean {
    if (this.containsTitle(element) || this.#aroundMain.has(element) || CONTENT_TAG_PATTERN.test(element.tagName))
      return false;
    if (hints.isDialog || (hints.isConsent && element.tagName === "div")) return true;
    return /^(?:nav|footer|dialog)$/.test(element.tagName);
  }

  #countProseLetters(page: HtmlElement): number {
    let { proseLetters } = this.#page;
    const pending = childElements(page);
    for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
      if (/^(?:main|article)$/.test(element.tagName)) continue;
      if (this.#isEvident(element, hintsOf(element))) proseLetters -= this.measureOf(element).proseLetters;
      else pending.push(...childElements(element));
    }
    return proseLetters > 0 ? proseLetters : this.#page.proseLetters;
  }

  /** Whether an element can be removed: data tables, their rows and their cells cannot. */
  #isRemovable(element: HtmlElement): boolean {
    if (element.tagName === "table") return this.isLayout(element);
    if (!/^t[rdh]$/.test(element.tagName)) return true;
    for (const outer of ancestors(element)) if (outer.tagName === "table") return this.isLayout(outer);
    return false;
  }

  /** Whether an element is a list of links. In the main content, long links such as titles of articles are content. */
  #isLinkList({ tagName }: HtmlElement, measure: Measure, isInArticle: boolean): boolean {
    const { linkCount, linkLetters, textLetters, headingLetters, proseLetters } = measure;
    if (
      linkCount < 2 ||
      proseLetters > 0 ||
      /^(?:li|p)$/.test(tagName) ||
      textLetters > this.#page.textLetters * MAIN_SHARE
    )
      return false;
    if (isInArticle && linkLetters > linkCount * MAX_MENU_LINK_LETTERS) return false;
    return linkLetters > (textLetters - headingLetters) * LINK_LIST_DENSITY;
  }
}

/** Returns all elements around elements with a matching tag name. */
function elementsAround(page: HtmlElement, tagPattern: RegExp): ReadonlySet<HtmlElement> {
  const found = new Set<HtmlElement>();
  for (const element of descendants(page)) {
    if (!tagPattern.test(element.tagName)) continue;
    for (const outer of ancestors(element)) {
      if (found.has(outer)) break;
      found.add(outer);
    }
  }
  return found;
}
