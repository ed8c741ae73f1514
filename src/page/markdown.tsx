import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { CopyButton } from "./copy-button.js";

/** Private characters around the index of a marker, which a text of a model can't have: see `placeMarkers`. */
const [OPEN, CLOSE] = ["\uE000", "\uE001"];
const MARKER = /\uE000(\d+)\uE001/g;

/** Replaces the given ranges of a text with placeholders, which {@link renderMarkdown} shows as `markers`. */
export function placeMarkers(
  text: string,
  ranges: readonly { readonly start: number; readonly end: number }[],
): string {
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

type Markers = (index: number) => ComponentChildren;

/**
 * Renders Markdown as elements. HTML in it is text, images are their alternative texts, and links lead only to the web,
 * to mail and within the page: what a model or a document says can't run a script or cause a request.
 */
export function renderMarkdown(text: string, markers: Markers): ComponentChildren {
  return blocks(new Lexer({ gfm: true }).lex(text), markers);
}

function blocks(tokens: readonly Token[], markers: Markers): ComponentChildren[] {
  return tokens.map((token, index) => <Block key={index} token={token} markers={markers} />);
}

function Block({ token, markers }: { readonly token: Token; readonly markers: Markers }): VNode | null {
  const children = (tokens: readonly Token[] = []) => inlines(tokens, markers);
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      // Of one level, since models begin with any, and a level must not be left out.
      return <h2>{children(token.tokens)}</h2>;
    case "code":
      return <CodeBlock text={withoutMarkers(token.text)} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], markers)}</blockquote>;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const list = items.map((item, index) => <li key={index}>{blocks(item.tokens, markers)}</li>);
      return ordered ? <ol start={start === "" ? 1 : start}>{list}</ol> : <ul>{list}</ul>;
    }
    case "table":
      return <Table table={token as Tokens.Table} markers={markers} />;
    case "hr":
      return <hr />;
    case "paragraph":
      return <p dir="auto">{children(token.tokens)}</p>;
    case "text":
      return <>{token.tokens ? children(token.tokens) : textWithMarkers(token.raw, markers)}</>;
    default:
      return <p dir="auto">{textWithMarkers(token.raw, markers)}</p>;
  }
}

function CodeBlock({ text }: { readonly text: string }): VNode {
  return (
    <div class="code">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton label="Copy code" text={() => text} />
    </div>
  );
}

function Table({ table, markers }: { readonly table: Tokens.Table; readonly markers: Markers }): VNode {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index}>{inlines(cell.tokens, markers)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inlines(cell.tokens, markers)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlines(tokens: readonly Token[], markers: Markers): ComponentChildren[] {
  return tokens.map((token) => inline(token, markers));
}

function inline(token: Token, markers: Markers): ComponentChildren {
  const children = () => inlines(("tokens" in token && token.tokens) || [], markers);
  switch (token.type) {
    case "strong":
      return <strong>{children()}</strong>;
    case "em":
      return <em>{children()}</em>;
    case "del":
      return <del>{children()}</del>;
    case "codespan":
      return <code>{withoutMarkers(token.text)}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={withoutMarkers(token.href)}>{children()}</Link>;
    case "image":
      return textWithMarkers(token.text, markers);
    case "escape":
      return token.text;
    case "text":
      return "tokens" in token && token.tokens ? children() : textWithMarkers(token.raw, markers);
    default:
      return textWithMarkers(token.raw, markers);
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ComponentChildren }): VNode {
  if (!isSafeLink(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Whether a link leads to the web, to mail or within this site. */
function isSafeLink(href: string): boolean {
  if (/[\p{Cc}\s\\]/u.test(href)) return false;
  return /^(?:https?:\/\/|mailto:|#|\/(?!\/))/i.test(href);
}

function textWithMarkers(text: string, markers: Markers): ComponentChildren[] {
  return text.split(MARKER).map((part, index) => (index % 2 === 0 ? part : markers(Number(part))));
}

function withoutMarkers(text: string): string {
  return text.replace(MARKER, "");
}
