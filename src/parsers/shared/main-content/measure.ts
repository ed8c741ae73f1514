import { collapseWhitespace } from "../../../util/collapse-whitespace.js";
import { isHidden } from "../html/html-inline.js";
import {
  attribute,
  type HtmlElement,
  type HtmlNode,
  type HtmlParent,
  isElement,
  isHeading,
} from "../html/html-tree.js";

/** The amount of text in an element, in letters. A Chinese, Japanese or Korean character counts as three. */
export interface Measure {
  /** All visible text. */
  text: number;
  /** The part in links, except in headings: the titles in a list of articles link to them. */
  link: number;
  /** The part in headings. */
  heading: number;
  /** The part in sentences that do not consist of links, and in code. */
  prose: number;
  /** Links outside of headings. */
  links: number;
}

const LETTERS_PER_IDEOGRAPH = 3;
const IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

/**
 * Text with a larger share of links is hardly ever content: Kohlschütter, Fankhauser, Nejdl, Boilerplate Detection
 * using Shallow Text Features (2010).
 */
export const MAX_LINK_DENSITY = 1 / 3;
/** From the same paper: text of 15 words, at six letters each, is content even if no sentence ends in it. */
const LONG_TEXT = 15 * 6;
/** Shorter text is a label, even if it ends like a sentence. */
const MIN_SENTENCE = 30;
const SENTENCE_END = /[.!?…:;。！？؟।۔](?:["'”’»)\]」』]|\[\d+\])*$/;

const INLINE = new Set(
  (
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q ruby rb rp rt s samp small span strike " +
    "strong sub sup time tt u var wbr"
  ).split(" "),
);

/** Measures a node and every element in it, without hidden ones. */
export function measureText(root: HtmlParent): ReadonlyMap<HtmlParent, Measure> {
  const measures = new Map<HtmlParent, Measure>();
  new TextMeter(measures).measure(root, { link: false, heading: false, code: false, run: false });
  return measures;
}

/** Whether an element is within a link, a heading or code. */
interface Context {
  readonly link: boolean;
  readonly heading: boolean;
  readonly code: boolean;
  /** Whether its text belongs to a run of inline text that began outside of it. */
  readonly run: boolean;
}

class TextMeter {
  readonly #measures: Map<HtmlParent, Measure>;
  // Otherwise it would be computed again for every ancestor.
  readonly #inline = new Map<HtmlElement, boolean>();

  constructor(measures: Map<HtmlParent, Measure>) {
    this.#measures = measures;
  }

  measure(parent: HtmlParent, context: Context): Measure {
    const total: Measure = { text: 0, link: 0, heading: 0, prose: 0, links: 0 };
    let run = "";
    let linked = 0;
    const endRun = (): void => {
      if (!context.heading && isProse(run, linked, context.code)) total.prose += countLetters(run) - linked;
      run = "";
      linked = 0;
    };
    for (const node of parent.childNodes) {
      if (isHidden(node)) continue;
      if (!isElement(node)) {
        const letters = countLetters(textOf(node));
        total.text += letters;
        if (context.heading) total.heading += letters;
        else if (context.link) total.link += letters;
        if (!context.run) run += textOf(node);
        continue;
      }
      const isPart = this.#isInline(node);
      if (!isPart && !context.run && node.tagName !== "br") endRun();
      const inner = this.measure(node, within(node, context, isPart));
      add(total, inner);
      if (isLink(node) && inner.text > inner.heading && !context.heading) total.links++;
      if (context.run) continue;
      if (isPart) {
        run += this.#inlineText(node);
        linked += inner.link;
      } else if (node.tagName === "br") {
        run += "\n";
        if (/\n\s*\n\s*$/.test(run.slice(-100))) endRun();
      }
    }
    endRun();
    this.#measures.set(parent, total);
    return total;
  }

  /** Whether an element is part of a line: it is inline and contains no blocks. */
  #isInline(element: HtmlElement): boolean {
    const known = this.#inline.get(element);
    if (known !== undefined) return known;
    const isPart =
      INLINE.has(element.tagName) &&
      element.childNodes.every((node) => !isElement(node) || /^(?:br|img)$/.test(node.tagName) || this.#isInline(node));
    this.#inline.set(element, isPart);
    return isPart;
  }

  #inlineText(element: HtmlElement): string {
    let text = "";
    for (const node of element.childNodes) {
      if (!isElement(node)) text += textOf(node);
      else if (!isHidden(node)) text += node.tagName === "br" ? "\n" : this.#inlineText(node);
    }
    return text;
  }
}

function within(element: HtmlElement, context: Context, isPart: boolean): Context {
  return {
    link: context.link || isLink(element),
    heading: context.heading || isHeading(element),
    code: context.code || element.tagName === "pre",
    run: context.run || isPart,
  };
}

function add(total: Measure, inner: Measure): void {
  for (const key of ["text", "link", "heading", "prose", "links"] as const) total[key] += inner[key];
}

function isLink(element: HtmlElement): boolean {
  return element.tagName === "a" && attribute(element, "href") !== null;
}

function isProse(run: string, linked: number, isCode: boolean): boolean {
  const text = run.trim();
  const letters = countLetters(text);
  if (letters === 0 || linked > letters * MAX_LINK_DENSITY) return false;
  return isCode || letters >= LONG_TEXT || (letters >= MIN_SENTENCE && SENTENCE_END.test(text));
}

function textOf(node: HtmlNode): string {
  return node.nodeName === "#text" && "value" in node ? node.value : "";
}

function countLetters(text: string): number {
  const packed = collapseWhitespace(text);
  return packed.length + (packed.match(IDEOGRAPHS)?.length ?? 0) * (LETTERS_PER_IDEOGRAPH - 1);
}
