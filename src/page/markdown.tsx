import { type Token, Tokenizer, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { moved, type RangedText, removeMatches, slice } from "../http/ranged-text.js";
import type { TextRange } from "../types.js";
import { BoundedLexer } from "./bounded-lexer.js";
import { CopyButton } from "./copy-button.js";
import { strings } from "./strings.js";

/** Private characters around the index of a marker, which a text of a model can't have: see {@link placeMarkers}. */
const [OPEN, CLOSE] = ["\uE000", "\uE001"];
const MARKER = /\uE000(\d+)\uE001/g;

/** Replaces the given ranges of a text with placeholders, which {@link showMarkers} replaces again. */
export function placeMarkers(text: string, ranges: readonly TextRange[]): string {
  const clean = text.replace(/[\uE000\uE001]/g, "\uFFFD");
  let placed = "";
  let at = 0;
  for (const [index, { start, end }] of ranges.entries()) {
    if (start < at || end > clean.length) continue;
    placed += clean.slice(at, start).replace(/ $/, "") + OPEN + index + CLOSE;
    at = end;
  }
  return placed + clean.slice(at);
}

/** Shows `marker` where there is a placeholder. */
export function showMarkers(text: string, marker: (index: number) => ComponentChildren): ComponentChildren[] {
  return text.split(MARKER).map((part, index) => (index % 2 === 0 ? part : marker(Number(part))));
}

export function withoutMarkers(text: string): string {
  return text.replace(MARKER, "");
}

/** How Markdown becomes elements. */
export interface MarkdownStyle {
  /** All are of one level, since models begin with any, and a level must not be left out. */
  readonly heading: "h2" | "h3" | "p";
  /** Renders text without markup. */
  readonly text: (content: RangedText, isCode: boolean) => ComponentChildren;
  /** Whether `*` and `_` are literal, as in text that a parser of another format than Markdown has written. */
  readonly hasLiteralSigns?: boolean;
}

/**
 * Renders Markdown as elements. HTML in it is text, images are their alternative texts, and links lead only to the web
 * and to mail: what a model or a document says can't run a script or cause a request.
 */
export function renderMarkdown(content: RangedText, style: MarkdownStyle): ComponentChildren {
  const tokenizer = style.hasLiteralSigns ? new LiteralTokenizer() : new Tokenizer();
  if (!TOO_DEEP.test(content.text)) {
    try {
      const tokens = new BoundedLexer({ gfm: true, tokenizer }).lex(content.text);
      if (depthOf(tokens) <= MAX_DEPTH) return blocks(tokens, content, style);
    } catch (error) {
      // Lists that nest deeper from line to line overflow the stack of the lexer.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return <p class="plain">{style.text(content, false)}</p>;
}

/** No one writes deeper, and deeper elements would overflow the stack of calls. */
const MAX_DEPTH = 50;
/** A line with more marks of quotations and lists at its start: the lexer calls itself for each. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+](?=[ \t>])|\d{1,9}[.)](?=[ \t>]))){51}/m;

function depthOf(tokens: readonly Token[]): number {
  const nested = (token: Tokens.Generic): readonly Token[] => token.tokens ?? token.items ?? [];
  return tokens.reduce((depth, token) => Math.max(depth, 1 + depthOf(nested(token))), 0);
}

class LiteralTokenizer extends Tokenizer {
  override emStrong(): undefined {}
  override del(): undefined {}
  override escape(): undefined {}
  override lheading(): undefined {}
}

/** The tokens follow one another in the text of `content`. */
function blocks(tokens: readonly Token[], content: RangedText, style: MarkdownStyle): VNode[] {
  return cut(content, tokens).map(([token, part], index) => (
    <Block key={index} token={token} content={part} style={style} />
  ));
}

interface BlockProps {
  readonly token: Token;
  readonly content: RangedText;
  readonly style: MarkdownStyle;
}

function Block({ token, content, style }: BlockProps): VNode | null {
  const children = () => inlinesIn(token, content, style);
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const Heading = style.heading;
      return (
        <Heading class={`heading level-${token.depth}`} dir="auto">
          {children()}
        </Heading>
      );
    }
    case "code": {
      const first = token.codeBlockStyle === "indented" ? 0 : content.text.indexOf("\n") + 1;
      const code = withoutIndent(slice(content, first, content.text.length), token.text);
      return <CodeBlock content={code} style={style} />;
    }
    case "blockquote":
      return <blockquote>{nested(token.tokens ?? [], content, style)}</blockquote>;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const list = cut(content, items).map(([item, part], index) => (
        <li key={index}>{nested(item.tokens, part, style)}</li>
      ));
      return ordered ? <ol start={start === "" ? 1 : start}>{list}</ol> : <ul>{list}</ul>;
    }
    case "table":
      return <Table table={token as Tokens.Table} content={content} style={style} />;
    case "hr":
      return <hr />;
    case "checkbox":
      return <>{token.checked ? "☑ " : "☐ "}</>;
    case "text":
      return <>{children()}</>;
    default:
      return <p dir="auto">{children()}</p>;
  }
}

/** The blocks of a quotation or a list item, each line of which begins with markup or indentation. */
function nested(tokens: readonly Token[], content: RangedText, style: MarkdownStyle): VNode[] {
  const text = tokens.map(({ raw }) => raw).join("");
  return blocks(tokens, withoutIndent(content, text), style);
}

function CodeBlock({ content, style }: Pick<BlockProps, "content" | "style">): VNode {
  return (
    <div class="code">
      <pre tabIndex={0}>
        <code>{style.text(content, true)}</code>
      </pre>
      <CopyButton label={strings.copyCode} text={() => withoutMarkers(content.text)} />
    </div>
  );
}

interface TableProps extends Pick<BlockProps, "content" | "style"> {
  readonly table: Tokens.Table;
}

function Table({ table, content, style }: TableProps): VNode {
  // The line below the head has no cells.
  const [head, , ...lines] = cut(
    content,
    content.text.split("\n").map((line) => ({ raw: `${line}\n` })),
  );
  return (
    <div class="table" dir="auto" tabIndex={0} role="region" aria-label={strings.table}>
      <table>
        {table.header.some(({ text }) => text !== "") && (
          <thead>
            <tr>
              {cells(table.header, head![1]).map(([cell, part], index) => (
                <th key={index}>{inlines(cell.tokens, part, style)}</th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {cells(row, lines[index]![1]).map(([cell, part], column) => (
                <td key={column}>{inlines(cell.tokens, part, style)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The cells of a row, with their parts of its text. */
function cells(row: readonly Tokens.TableCell[], line: RangedText): (readonly [Tokens.TableCell, RangedText])[] {
  let at = 0;
  return row.map((cell) => {
    const source = cell.text.replaceAll("|", "\\|");
    const start = Math.max(at, line.text.indexOf(source, at));
    at = start + source.length;
    return [cell, removeMatches(slice(line, start, at), /\\(?=\|)/g)];
  });
}

function inlines(tokens: readonly Token[], content: RangedText, style: MarkdownStyle): ComponentChildren[] {
  return cut(content, tokens).map(([token, part]) => inline(token, part, style));
}

/** The tokens in a token, or its text if there are none. */
function inlinesIn(token: Token, content: RangedText, style: MarkdownStyle): ComponentChildren {
  const { tokens, text } = token as Tokens.Generic;
  return tokens ? inlines(tokens, inside(content, text), style) : style.text(content, false);
}

function inline(token: Token, content: RangedText, style: MarkdownStyle): ComponentChildren {
  const children = () => inlinesIn(token, content, style);
  switch (token.type) {
    case "strong":
      return <strong>{children()}</strong>;
    case "em":
      return <em>{children()}</em>;
    case "del":
      return <del>{children()}</del>;
    case "codespan":
      return <code>{style.text(inside(content, token.text), true)}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={withoutMarkers(token.href)}>{children()}</Link>;
    case "image":
    case "escape":
      return style.text(inside(content, token.text), false);
    default:
      return children();
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ComponentChildren }): VNode {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Pairs each token with its part of the text. */
function cut<T extends { readonly raw: string }>(
  content: RangedText,
  tokens: readonly T[],
): (readonly [T, RangedText])[] {
  let end = 0;
  return tokens.map((token) => {
    const start = end;
    end += token.raw.length;
    return [token, slice(content, start, end)];
  });
}

/** What stands between the signs of a token. Code spans show line breaks as spaces. */
function inside(content: RangedText, text: string): RangedText {
  const start = content.text.replaceAll("\n", " ").indexOf(text.replaceAll("\n", " "));
  return { text, ranges: start < 0 ? [] : slice(content, start, start + text.length).ranges };
}

/** The text of lines that have lost their beginnings, with the ranges moved. */
function withoutIndent(content: RangedText, text: string): RangedText {
  if (content.ranges.length === 0) return { text, ranges: [] };
  const outer = content.text.split("\n");
  const ranges: TextRange[] = [];
  let [from, to] = [0, 0];
  for (const [index, { length }] of text.split("\n").entries()) {
    const outerLength = outer[index]?.length ?? 0;
    const kept = Math.min(length, outerLength);
    const shown = slice(content, from + outerLength - kept, from + outerLength).ranges;
    ranges.push(...shown.map((range) => moved(range, to + length - kept)));
    from += outerLength + 1;
    to += length + 1;
  }
  return { text, ranges };
}
