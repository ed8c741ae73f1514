import { isHidden } from "../html/html-inline.js";
import { attribute, type HtmlElement, type HtmlNode, type HtmlParent, isElement } from "../html/html-tree.js";

/** How much text is within an element, in letters: a character of Chinese, Japanese or Korean counts for three. */
export interface Measure {
  /** All that a reader sees. */
  text: number;
  /** Of it what stands in links, headings apart: those of a list of articles lead to them and are their titles. */
  link: number;
  /** Of it what stands in headings. */
  heading: number;
  /** Of it what stands in sentences that are not made of links, and in listings of code. */
  prose: number;
  /** Links outside of headings. */
  links: number;
}

const LETTERS_PER_IDEOGRAPH = 3;
const IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

/**
 * Above this share of links text is hardly ever content: Kohlschütter, Fankhauser, Nejdl, Boilerplate Detection using
 * Shallow Text Features (2010).
 */
export const MAX_LINK_DENSITY = 1 / 3;
/**
 * From the same work: text of 15 words is content even where no sentence ends; words are taken to be six letters long.
 */
const LONG_TEXT = 15 * 6;
/** Shorter text is a label, however it ends. */
const SENTENCE = 30;
const SENTENCE_END = /[.!?…:;。！？؟।۔](?:["'”’»)\]」』]|\[\d+\])*$/;

const INLINE = new Set(
  "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q ruby rb rp rt s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);

/** Measures a node and every element under it; what is hidden counts for nothing. */
export function measureText(root: HtmlParent): ReadonlyMap<HtmlParent, Measure> {
  const measures = new Map<HtmlParent, Measure>();
  new Measuring(measures).measure(root, { link: false, heading: false, code: false, run: false });
  return measures;
}

/** What an element stands in. */
interface Surroundings {
  readonly link: boolean;
  readonly heading: boolean;
  readonly code: boolean;
  /** Whether its text is part of a run that began outside of it. */
  readonly run: boolean;
}

class Measuring {
  readonly #measures: Map<HtmlParent, Measure>;
  // Every ancestor asks the same of a node.
  readonly #inline = new Map<HtmlElement, boolean>();

  constructor(measures: Map<HtmlParent, Measure>) {
    this.#measures = measures;
  }

  measure(parent: HtmlParent, around: Surroundings): Measure {
    const total: Measure = { text: 0, link: 0, heading: 0, prose: 0, links: 0 };
    let run = "";
    let linked = 0;
    const endRun = (): void => {
      if (!around.heading && isProse(run, linked, around.code)) total.prose += lettersOf(run) - linked;
      run = "";
      linked = 0;
    };
    for (const node of parent.childNodes) {
      if (isHidden(node)) continue;
      if (!isElement(node)) {
        const letters = lettersOf(textOf(node));
        total.text += letters;
        if (around.heading) total.heading += letters;
        else if (around.link) total.link += letters;
        if (!around.run) run += textOf(node);
        continue;
      }
      const isPart = this.#isInline(node);
      if (!isPart && !around.run && node.tagName !== "br") endRun();
      const inner = this.measure(node, within(node, around, isPart));
      add(total, inner);
      if (isLink(node) && inner.text > inner.heading && !around.heading) total.links++;
      if (around.run) continue;
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

  /** Whether an element is part of a line: one that has blocks inside is not. */
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

function within(element: HtmlElement, around: Surroundings, isPart: boolean): Surroundings {
  return {
    link: around.link || isLink(element),
    heading: around.heading || /^h[1-6]$/.test(element.tagName),
    code: around.code || element.tagName === "pre",
    run: around.run || isPart,
  };
}

function add(total: Measure, inner: Measure): void {
  total.text += inner.text;
  total.link += inner.link;
  total.heading += inner.heading;
  total.prose += inner.prose;
  total.links += inner.links;
}

function isLink(element: HtmlElement): boolean {
  return element.tagName === "a" && attribute(element, "href") !== null;
}

function isProse(run: string, linked: number, isCode: boolean): boolean {
  const text = run.trim();
  const letters = lettersOf(text);
  if (letters === 0 || linked > letters * MAX_LINK_DENSITY) return false;
  return isCode || letters >= LONG_TEXT || (letters >= SENTENCE && SENTENCE_END.test(text));
}

function textOf(node: HtmlNode): string {
  return node.nodeName === "#text" && "value" in node ? node.value : "";
}

function lettersOf(text: string): number {
  const packed = text.replace(/\s+/g, " ").trim();
  return packed.length + (packed.match(IDEOGRAPHS)?.length ?? 0) * (LETTERS_PER_IDEOGRAPH - 1);
}
