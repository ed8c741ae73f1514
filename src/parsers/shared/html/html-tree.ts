import { type DefaultTreeAdapterTypes, html, Parser, Token } from "parse5";

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlParent = DefaultTreeAdapterTypes.ParentNode;

/** Maximum number of open elements, as in Blink: deeper elements are flattened, and their text is kept. */
const MAX_DEPTH = 512;

/** Kept at any depth: elements that cannot nest, and elements that change the state of the tokenizer. */
const ALWAYS_KEPT = new Set(["br", "hr", "img", "script", "style", "textarea", "title", "iframe", "noframes", "xmp"]);

/** Elements whose text goes on in the same line. */
const INLINE = new Set(
  (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb rp rt ruby s samp small span " +
    "strike strong sub sup time tt u var wbr"
  ).split(" "),
);
/** Elements without an end tag. */
const VOID = new Set("area base basefont bgsound col embed frame input link meta param source track wbr".split(" "));

/** Limits the depth of the tree: most tags make the parser scan all open elements, which would take quadratic time. */
class ShallowParser extends Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  /** The flattened elements that are open, outermost first, and how many there are of each name. */
  readonly #flattened: string[] = [];
  readonly #flattenedCounts = new Map<string, number>();
  /** Whether there is no text since the last line break of a flattened element. */
  #isAtLineStart = false;

  override onStartTag(token: Token.TagToken): void {
    const name = token.tagName;
    if (this.openElements.stackTop < MAX_DEPTH || ALWAYS_KEPT.has(name)) {
      super.onStartTag(token);
      return;
    }
    if (!VOID.has(name)) {
      this.#flattened.push(name);
      this.#flattenedCounts.set(name, (this.#flattenedCounts.get(name) ?? 0) + 1);
    }
    this.#breakLine(name);
  }

  override onEndTag(token: Token.TagToken): void {
    const name = token.tagName;
    if ((this.#flattenedCounts.get(name) ?? 0) > 0) {
      // Otherwise the tag would end an element of the same name that is not flattened.
      while (this.#closeLast() !== name);
      this.#breakLine(name);
      return;
    }
    const depth = this.openElements.stackTop;
    super.onEndTag(token);
    if (this.openElements.stackTop < depth) while (this.#flattened.length > 0) this.#closeLast();
  }

  override onCharacter(token: Token.CharacterToken): void {
    this.#isAtLineStart = false;
    super.onCharacter(token);
  }

  #closeLast(): string | undefined {
    const name = this.#flattened.pop();
    if (name !== undefined) this.#flattenedCounts.set(name, this.#flattenedCounts.get(name)! - 1);
    return name;
  }

  /** Separates the texts of flattened cells and paragraphs, which would be one word. */
  #breakLine(name: string): void {
    if (INLINE.has(name) || this.#isAtLineStart) return;
    super.onStartTag({ ...LINE_BREAK, attrs: [] });
    this.#isAtLineStart = true;
  }
}

const LINE_BREAK: Token.TagToken = {
  type: Token.TokenType.START_TAG,
  tagName: "br",
  tagID: html.TAG_ID.BR,
  selfClosing: false,
  ackSelfClosing: false,
  attrs: [],
  location: null,
};

/** Parses a page like a browser, with at most 512 open elements. */
export function parseHtml(text: string): DefaultTreeAdapterTypes.Document {
  const parser = new ShallowParser();
  parser.tokenizer.write(text, true);
  return parser.document;
}

export function isElement(node: HtmlNode | HtmlParent): node is HtmlElement {
  return "tagName" in node;
}

export function attribute(element: HtmlElement, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

export function isHeading(element: HtmlElement): boolean {
  return /^h[1-6]$/.test(element.tagName);
}

/** Returns the elements directly within a node. */
export function childElements(parent: HtmlParent): HtmlElement[] {
  return parent.childNodes.filter((node): node is HtmlElement => isElement(node));
}

/** Yields every element within a node, in document order. */
export function* descendants(root: HtmlParent): Generator<HtmlElement> {
  const pending = childElements(root).reverse();
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    yield element;
    for (const child of childElements(element).reverse()) pending.push(child);
  }
}

/** Whether a node contains an element with a matching tag name. */
export function hasDescendant(root: HtmlParent, tagPattern: RegExp): boolean {
  for (const element of descendants(root)) if (tagPattern.test(element.tagName)) return true;
  return false;
}

/** Yields the elements around an element, innermost first. */
export function* ancestors(element: HtmlElement): Generator<HtmlElement> {
  for (let node = element.parentNode; node !== null && isElement(node); node = node.parentNode) yield node;
}

/** Returns the text within a node, with a line break for each `br`. */
export function rawText(node: HtmlNode | HtmlParent): string {
  const parts: string[] = [];
  const visit = (current: HtmlNode | HtmlParent): void => {
    if ("value" in current) parts.push(current.value);
    else if ("childNodes" in current) {
      if (current.nodeName === "br") parts.push("\n");
      for (const child of current.childNodes) visit(child);
    }
  };
  visit(node);
  return parts.join("");
}
