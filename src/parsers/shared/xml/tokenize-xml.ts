import { unescapeXml } from "./xml-text.js";

/** Receives the tokens of {@link tokenizeXml}, in document order. Names keep their prefix. */
export interface XmlHandler {
  /**
   * @param name Empty for a tag without a name, which is not well-formed.
   * @param attributes As written in the tag; see `attributeOf` and `attributesOf`.
   */
  open(name: string, attributes: string): void;
  /** Also follows `open` for an empty-element tag. */
  close(name: string): void;
  /** @param text Character data with resolved entities; one text may be split into several calls. */
  text(text: string): void;
  /** @param declaration Everything between `<!` and `>`. */
  doctype(declaration: string): void;
}

/**
 * Reports all complete markup, and the text before it, to `handler`. Skips comments and processing instructions.
 *
 * @returns the offset after the last complete markup: the rest is text or incomplete markup
 */
export function tokenizeXml(xml: string, handler: XmlHandler): number {
  let at = 0;
  for (;;) {
    const start = xml.indexOf("<", at);
    const markup = start === -1 ? null : markupAt(xml, start);
    if (markup === null) return at;
    if (start > at) handler.text(unescapeXml(xml.slice(at, start)));
    at = markup.end;
    if (markup.kind === "cdata") handler.text(markup.text);
    else if (markup.kind === "end") handler.close(markup.text.trim());
    else if (markup.kind === "doctype") handler.doctype(markup.text);
    else if (markup.kind === "start") reportTag(markup.text, handler);
  }
}

function reportTag(tag: string, handler: XmlHandler): void {
  const name = NAME_PATTERN.exec(tag)?.[0] ?? "";
  const isEmpty = tag.endsWith("/");
  handler.open(name, tag.slice(name.length, isEmpty ? -1 : undefined));
  if (isEmpty) handler.close(name);
}

const NAME_PATTERN = /^[^\s/]+/;

interface Markup {
  readonly kind: "start" | "end" | "cdata" | "doctype" | "skipped";
  readonly text: string;
  readonly end: number;
}

/** Returns the markup that begins with the `<` at an offset; `null` if the end of the markup is missing. */
function markupAt(xml: string, start: number): Markup | null {
  switch (xml.charCodeAt(start + 1)) {
    case 0x2f:
      return markupUpTo(xml, "end", start + 2, ">");
    case 0x3f:
      return markupUpTo(xml, "skipped", start + 2, "?>");
    case 0x21:
      if (xml.startsWith("<!--", start)) return markupUpTo(xml, "skipped", start + 4, "-->");
      if (xml.startsWith("<![CDATA[", start)) return markupUpTo(xml, "cdata", start + 9, "]]>");
      return markupUpTo(xml, "doctype", start + 2, ">");
    default: {
      const end = tagEnd(xml, start + 1);
      return end === -1 ? null : { kind: "start", text: xml.slice(start + 1, end), end: end + 1 };
    }
  }
}

function markupUpTo(xml: string, kind: Markup["kind"], from: number, closing: string): Markup | null {
  const end = xml.indexOf(closing, from);
  return end === -1 ? null : { kind, text: xml.slice(from, end), end: end + closing.length };
}

/** Returns the offset of the unquoted `>` that ends a tag; -1 if there is none before the next `<`. */
function tagEnd(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (code === 0x3e) return at;
    if (code === 0x3c) return -1;
    if (code === 0x22 || code === 0x27) {
      at = xml.indexOf(code === 0x22 ? '"' : "'", at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
}
