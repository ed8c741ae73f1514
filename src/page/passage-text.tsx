import type { VNode } from "preact";
import { isPlainText, type RangedText } from "../http/ranged-text.js";
import { HighlightedText } from "./highlighted-text.js";
import { renderMarkdown } from "./markdown.js";
import { plainClass } from "./plain-class.js";

interface PassageTextProps {
  readonly content: RangedText;
  readonly mediaType: string;
  /** Of the document, which is its file name in most cases. */
  readonly title: string;
  readonly heading: "h3" | "p";
}

/** The formats in which `*` and `_` are markup. Parsers of others write headings, lists, tables, links and code only. */
const WITH_EMPHASIS = /markdown|ipynb/;

/** The text of a document or a passage by its media type, with the ranges marked. */
export function PassageText({ content, mediaType, title, heading }: PassageTextProps): VNode {
  if (isPlainText(mediaType))
    return (
      <div class={plainClass(title)}>
        <HighlightedText {...content} />
      </div>
    );
  const hasLiteralSigns = !WITH_EMPHASIS.test(mediaType);
  const text = (part: RangedText) => <HighlightedText {...part} />;
  return (
    <div class="prose" dir="auto">
      {renderMarkdown(content, { heading, text, hasLiteralSigns })}
    </div>
  );
}
