import { marked, type Token, type Tokens } from "marked";
import type { BlockList } from "../blocks/block-list.js";
import { htmlToBlocks } from "../html/html-to-blocks.js";
import { parseHtml } from "../html/html-tree.js";
import { type ImageOptions, imageDetails } from "../html/image-options.js";

/** Adds the blocks of a Markdown text (GitHub flavour); HTML within it is parsed as HTML. */
export function markdownToBlocks(list: BlockList, markdown: string, options: ImageOptions): void {
  new MarkdownWalker(list, options).addTokens(marked.lexer(markdown));
}

class MarkdownWalker {
  readonly #list: BlockList;
  readonly #options: ImageOptions;

  constructor(list: BlockList, options: ImageOptions) {
    this.#list = list;
    this.#options = options;
  }

  addTokens(tokens: readonly Token[]): void {
    let html = "";
    for (const token of tokens) {
      // HTML such as `details` or `table` arrives in several tokens, which form a tree only together.
      if (token.type === "html" || (token.type === "space" && html !== "")) {
        html += token.raw;
        continue;
      }
      this.#addHtml(html);
      html = "";
      this.#addToken(token);
    }
    this.#addHtml(html);
  }

  #addToken(token: Token) {
    switch (token.type) {
      case "heading":
        return this.#list.heading((token as Tokens.Heading).depth, lineText(token));
      case "code":
        return this.#addCode(token as Tokens.Code);
      case "table":
        return this.#addTable(token as Tokens.Table);
      case "list":
        return this.#addItems(token as Tokens.List, 1);
      case "blockquote":
        return this.addTokens((token as Tokens.Blockquote).tokens);
      case "hr":
        return this.#list.add("paragraph", "---");
      case "space":
      case "def":
        return;
      default:
        return this.#addParagraph(token);
    }
  }

  #addParagraph(token: Token) {
    const inline = "tokens" in token ? (token.tokens ?? []) : [];
    const visible = inline.filter((part) => part.type !== "br" && /\S/.test(part.raw));
    if (visible.length > 0 && visible.every((part) => part.type === "image")) {
      const { addsImages, findImage } = this.#options;
      for (const { text, href } of addsImages ? (visible as Tokens.Image[]) : [])
        this.#list.add("image", text, imageDetails(findImage?.(href)));
      return;
    }
    const text = lineText(token);
    if (/^\$\$[\s\S]+\$\$$/.test(text)) return this.#list.add("formula", text);
    this.#list.addMarkdown(/^\[\^[^\]]+\]:/.test(text) ? "note" : "paragraph", text);
  }

  #addCode(token: Tokens.Code): void {
    const language = /^[^\s{]+/.exec(token.lang ?? "")?.[0];
    this.#list.add("code", token.text, language === undefined ? {} : { language });
  }

  #addTable(token: Tokens.Table): void {
    this.#list.table(
      token.header.map(cellText),
      token.rows.map((row) => row.map(cellText)),
    );
  }

  #addItems(list: Tokens.List, level: number): void {
    let number = list.start === "" ? 1 : list.start;
    for (const item of list.items) {
      const marker = list.ordered ? { marker: `${number++}.` } : {};
      const tokens = item.tokens.filter((token) => token.type !== "checkbox");
      const [first, ...rest] = tokens;
      const hasText = first !== undefined && (first.type === "text" || first.type === "paragraph");
      const checkbox = item.task ? `[${item.checked ? "x" : " "}] ` : "";
      if (hasText) this.#list.addMarkdown("list_item", checkbox + lineText(first), { level, ...marker });
      for (const token of hasText ? rest : tokens) {
        if (token.type === "list") this.#addItems(token as Tokens.List, level + 1);
        else this.#addToken(token);
      }
    }
  }

  #addHtml(html: string): void {
    if (html.trim() !== "") htmlToBlocks(this.#list, parseHtml(html), this.#options);
  }
}

/** Returns a token's Markdown source, with reference links resolved and embedded image bytes removed. */
function lineText(token: Token): string {
  const inline = "tokens" in token ? (token.tokens ?? []) : [];
  const text =
    inline.length === 0 ? ("text" in token ? String(token.text) : token.raw) : inline.map(inlineMarkdown).join("");
  return text
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<!--[\s\S]*?-->/g, "")
    .trim();
}

function inlineMarkdown(token: Token): string {
  if (token.type === "image") {
    const image = token as Tokens.Image;
    return /^data:/i.test(image.href) ? image.text : `![${image.text}](${image.href})`;
  }
  if (token.type === "link" && /^\[[\s\S]*\](?:\[[^\]]*\])?$/.test(token.raw))
    return `[${(token as Tokens.Link).text}](${(token as Tokens.Link).href})`;
  return token.raw;
}

function cellText(cell: Tokens.TableCell): string {
  return cell.tokens
    .map(inlineMarkdown)
    .join("")
    .replace(/<br\s*\/?>/gi, " ");
}
