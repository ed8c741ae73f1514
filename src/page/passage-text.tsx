import type { VNode } from "preact";
import { type RangedText, slice, withoutMarkup } from "../http/ranged-text.js";
import { HighlightedText } from "./highlighted-text.js";

const BLOCK = /[^\n](?:(?!\n{2,})[\s\S])*/g;
const HEADING = /^#{1,6} /;
const CELL = /(?<=\|)(?:\\.|[^|\\\n])*(?=\|)/g;
const SEPARATOR_ROW = /^\|(?: *:?-+:? *\|)+ *$/;

/** The text of a document or a passage: paragraphs, headings and tables. */
export function PassageText(content: RangedText): VNode {
  const blocks = [...content.text.matchAll(BLOCK)].map(({ index, 0: text }) =>
    slice(content, index, index + text.length),
  );
  return (
    <div class="passage-text" dir="auto">
      {blocks.map((block, index) =>
        isTable(block.text) ? <Table key={index} {...block} /> : <Paragraph key={index} {...block} />,
      )}
    </div>
  );
}

function isTable(text: string): boolean {
  const lines = text.split("\n");
  return lines.length > 1 && lines.every((line) => line.startsWith("|")) && SEPARATOR_ROW.test(lines[1]!);
}

function Paragraph(content: RangedText): VNode {
  return (
    <p class={HEADING.test(content.text) ? "heading" : ""} dir="auto">
      <HighlightedText {...withoutMarkup(content)} />
    </p>
  );
}

function Table(content: RangedText): VNode {
  const rows = [...content.text.matchAll(/^.*$/gm)].filter(({ 0: line }) => !SEPARATOR_ROW.test(line));
  const cellsOf = ({ index, 0: line }: RegExpExecArray) =>
    [...line.matchAll(CELL)].map((cell) => slice(content, index + cell.index, index + cell.index + cell[0].length));
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <tbody>
          {rows.map((row) => (
            <tr key={row.index}>
              {cellsOf(row).map((cell, column) => (
                <td key={column} dir="auto">
                  <HighlightedText {...withoutMarkup(cell)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
