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
  textLetters: number;
  /** Text in links outside headings: in a list of articles, the headings are links. */
  linkLetters: number;
  /** Text in headings. */
  headingLetters: number;
  /** Text in sentences that do not consist of links, and in code. */
  proseLetters: number;
  /** Number of links outside headings. */
  linkCount: number;
}

const LETTERS_PER_CJK_CHARACTER = 3;
const CJK_PATTERN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

/**
 * Text with a larger share of links is hardly ever content (Kohlschütter, Fankhauser, Nejdl, Boilerplate Detection
 * using Shallow Text Features, 2010).
 */
export const MAX_LINK_DENSITY = 1 / 3;
/** According to the same paper, text of 15 words (at six letters each) is content even if no sentence ends in it. */
const LONG_TEXT_LETTERS = 15 * 6;
/** Shorter text is a label, even if it ends like a sentence. */
const MIN_SENTENCE_LETTERS = 30;
const SENTENCE_END_PATTERN = /[.!?…:;。！？؟।۔](?:["'”’»)\]」』]|\[\d+\])*$/;

const INLINE_TAGS = new Set(
  (
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q ruby rb rp rt s samp small span strike " +
    "strong sub sup time tt u var wbr"
  ).split(" "),
);

/** Measures a node and every visible element in it. */
export function measureText(root: HtmlParent): ReadonlyMap<HtmlParent, Measure> {
  const measures = new Map<HtmlParent, Measure>();
  new TextMeter(measures).measure(root, { isInLink: false, isInHeading: false, isInCode: false, isInRun: false });
  return measures;
}

/** What surrounds an element. */
interface Context {
  readonly isInLink: boolean;
  readonly isInHeading: boolean;
  readonly isInCode: boolean;
  /** Whether the element's text belongs to a run of inline text that began outside the element. */
  readonly isInRun: boolean;
}

class TextMeter {
  readonly #measures: Map<HtmlParent, Measure>;
  // A cache: without it, every ancestor would compute the value again.
  readonly #isInlineByElement = new Map<HtmlElement, boolean>();

  constructor(measures: Map<HtmlParent, Measure>) {
    this.#measures = measures;
  }

  measure(parent: HtmlParent, context: Context): Measure {
    const total: Measure = { textLetters: 0, linkLetters: 0, headingLetters: 0, proseLetters: 0, linkCount: 0 };
    let run = "";
    let linkedLetters = 0;
    const endRun = (): void => {
      if (!context.isInHeading && isProse(run, linkedLetters, context.isInCode))
        total.proseLetters += countLetters(run) - linkedLetters;
      run = "";
      linkedLetters = 0;
    };
    for (const node of parent.childNodes) {
      if (isHidden(node)) continue;
      if (!isElement(node)) {
        const letters = countLetters(textOf(node));
        total.textLetters += letters;
        if (context.isInHeading) total.headingLetters += letters;
        else if (context.isInLink) total.linkLetters += letters;
        if (!context.isInRun) run += textOf(node);
        continue;
      }
      const isInline = this.#isInline(node);
      if (!isInline && !context.isInRun && node.tagName !== "br") endRun();
      const inner = this.measure(node, childContext(node, context, isInline));
      add(total, inner);
      if (isLink(node) && inner.textLetters > inner.headingLetters && !context.isInHeading) total.linkCount++;
      if (context.isInRun) continue;
      if (isInline) {
        run += this.#inlineText(node);
        linkedLetters += inner.linkLetters;
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
    const known = this.#isInlineByElement.get(element);
    if (known !== undefined) return known;
    const isInline =
      INLINE_TAGS.has(element.tagName) &&
      element.childNodes.every((node) => !isElement(node) || /^(?:br|img)$/.test(node.tagName) || this.#isInline(node));
    this.#isInlineByElement.set(element, isInline);
    return isInline;
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

function childContext(element: HtmlElement, context: Context, isInline: boolean): Context {
  return {
    isInLink: context.isInLink || isLink(element),
    isInHeading: context.isInHeading || isHeading(element),
    isInCode: context.isInCode || element.tagName === "pre",
    isInRun: context.isInRun || isInline,
  };
}

function add(total: Measure, inner: Measure): void {
  for (const key of ["textLetters", "linkLetters", "headingLetters", "proseLetters", "linkCount"] as const)
    total[key] += inner[key];
}

function isLink(element: HtmlElement): boolean {
  return element.tagName === "a" && attribute(element, "href") !== null;
}

function isProse(run: string, linkedLetters: number, isCode: boolean): boolean {
  const text = run.trim();
  const letters = countLetters(text);
  if (letters === 0 || linkedLetters > letters * MAX_LINK_DENSITY) return false;
  return isCode || letters >= LONG_TEXT_LETTERS || (letters >= MIN_SENTENCE_LETTERS && SENTENCE_END_PATTERN.test(text));
}

function textOf(node: HtmlNode): string {
  return node.nodeName === "#text" && "value" in node ? node.value : "";
}

function countLetters(text: string): number {
  const collapsed = collapseWhitespace(text);
  return collapsed.length + (collapsed.match(CJK_PATTERN)?.length ?? 0) * (LETTERS_PER_CJK_CHARACTER - 1);
}
