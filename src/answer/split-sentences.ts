import { sentenceStarts } from "../chunkers/sentences.js";
import type { TextRange } from "../types.js";

/** A sentence, a line of a list or a row of a table. */
export interface Sentence extends TextRange {
  readonly text: string;
  readonly isTableRow: boolean;
  /** The last heading or label before the sentence in the same text; empty if there is none. */
  readonly heading: string;
  /** The header of the row's table; empty for other sentences and for tables without one. */
  readonly columns: string;
  /** The previous sentence in the same text; empty for the first. */
  readonly previous: string;
}

const BLOCK_PATTERN = /[^\n]+(?:\n(?!\n)[^\n]+)*/g;
const TABLE_RULE_PATTERN = /^\|[\s:|-]+\|$/;
/** A shorter block without final punctuation is a heading. */
const MAX_HEADING_LENGTH = 60;
/** Matches a bold start of a paragraph, such as `**Fog.** `, which is its heading. */
const LABEL_PATTERN = /^\*\*([^*\n]{1,60})\*\*\s+/;
const SENTENCE_END_PATTERN = /[\p{Sentence_Terminal}:;|]\p{P}{0,3}$/u;

const QUESTION_PATTERN = /[?？؟]\p{P}{0,3}$/u;

/**
 * Splits a stored text into sentences. Leaves out headings, headers of tables and questions: the sentences after them
 * have the answers.
 */
export function splitSentences(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let heading = "";
  let previous = "";
  for (const { 0: block, index: blockStart } of text.matchAll(BLOCK_PATTERN)) {
    const isTable = block.startsWith("|");
    if (!isTable && block.length < MAX_HEADING_LENGTH && !SENTENCE_END_PATTERN.test(block.trimEnd())) {
      heading = block;
      continue;
    }
    const columns = isTable ? headerOf(block) : "";
    const label = isTable ? null : LABEL_PATTERN.exec(block);
    if (label) heading = label[1]!;
    for (const range of isTable
      ? rowsOf(text, blockStart, block)
      : sentencesOf(text, blockStart + (label?.[0].length ?? 0), block.slice(label?.[0].length ?? 0))) {
      const sentence = text.slice(range.start, range.end);
      if (!QUESTION_PATTERN.test(sentence) && sentence !== columns)
        sentences.push({ ...range, text: sentence, isTableRow: isTable, heading, columns, previous });
      previous = sentence;
    }
  }
  return sentences;
}

/** Returns the first row of a table if a rule separates it from further rows, else an empty text. */
function headerOf(table: string): string {
  const [header, rule, row] = table.split("\n");
  return row !== undefined && TABLE_RULE_PATTERN.test(rule!) ? header! : "";
}

function* sentencesOf(text: string, blockStart: number, block: string): Generator<TextRange> {
  const blockEnd = blockStart + block.length;
  const innerStarts = sentenceStarts(text, blockStart, blockEnd).filter((start) => start < blockEnd);
  const starts = [blockStart, ...innerStarts];
  for (const [index, start] of starts.entries()) {
    const end = start + text.slice(start, starts[index + 1] ?? blockEnd).trimEnd().length;
    if (end > start) yield { start, end };
  }
}

function* rowsOf(text: string, blockStart: number, block: string): Generator<TextRange> {
  let start = blockStart;
  for (const row of block.split("\n")) {
    const end = start + row.length;
    if (!TABLE_RULE_PATTERN.test(row) && text.slice(start, end).trim() !== "") yield { start, end };
    start = end + 1;
  }
}
