import type { Block } from "../interfaces/block.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";
import { getOrCreate } from "../util/get-or-create.js";
import { lineStarts } from "../util/line-starts.js";
import { formatBreadcrumb } from "./breadcrumb.js";
import { type BlockMarkup, markerOf, repeatedMarkup, tableBodyStart } from "./markup.js";
import { trimmedEnd, trimmedStart } from "./sentences.js";
import { codeSplitPoint, proseSplitPoint, type SplitLimits, tableSplitPoint } from "./split-points.js";

/** A range of one block's text; `to` is exclusive. */
export interface Part {
  /** Index of the block. */
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

const BREADCRUMB_GAP = "\n\n";
const NO_MARKUP: BlockMarkup = { before: "", after: "" };
/** Length of the blank line between two blocks in a document's text. */
const BLOCK_GAP_CHARACTERS = 2;
/** The breadcrumb and the repeated markup may each take at most 1/3 of a chunk. */
const MAX_REPEATED_DIVISOR = 3;

/** The header of a table may take at most 1/2 of a chunk. */
const MAX_HEADER_DIVISOR = 2;
/** A longer caption is a description rather than the table's title. */
const MAX_TITLE_CHARACTERS = 200;

/** Holds the blocks of a document with precomputed offsets and sizes, so that lookups take constant time. */
export class BlockIndex {
  readonly blocks: readonly Block[];
  /** Headings of this level or above start a chapter: chunks don't overlap across them. */
  readonly #topLevel: number;
  readonly #starts: readonly number[];
  /** Number of characters from each block, inclusive, to the next heading. */
  readonly #sectionLengths: readonly number[];
  readonly #repeatedMarkup = new Map<number, BlockMarkup>();
  readonly #bodyStarts = new Map<number, number>();
  readonly #lineStarts = new Map<number, readonly number[]>();

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
    this.#topLevel = topLevel(blocks);
    const starts: number[] = [];
    let offset = 0;
    for (const block of blocks) {
      starts.push(offset);
      offset += block.text.length + BLOCK_GAP_CHARACTERS;
    }
    this.#starts = starts;
    this.#sectionLengths = sectionLengths(blocks);
  }

  /** Returns the offset of a block in the document's text. */
  startOf(block: number): number {
    return this.#starts[block]!;
  }

  /** Returns a range of a block, by default all of it, without surrounding whitespace; `null` if nothing remains. */
  part(block: number, from = 0, to = this.blocks[block]!.text.length): Part | null {
    const { text, kind } = this.blocks[block]!;
    const end = trimmedEnd(text, from, to);
    const start = trimmedStart(text, from, end);
    if (start === end) return null;
    // Code keeps the indent of its first line.
    const lineStart = kind === "code" ? from + text.slice(from, start).lastIndexOf("\n") + 1 : start;
    return { block, from: lineStart, to: end };
  }

  /**
   * Returns the markup around a part; empty if the markup would take too much of `limit`. A table keeps its header
   * longer than its caption, since cells say nothing without the names of their columns.
   */
  markup(part: Part, limit: number): BlockMarkup {
    const markup = this.#fullMarkup(part);
    if (markup.before.length + markup.after.length <= limit / MAX_REPEATED_DIVISOR) return markup;
    const { kind, text } = this.blocks[part.block]!;
    if (kind !== "table" || markup.before === "") return NO_MARKUP;
    const bodyStart = this.#bodyStart(part.block);
    return bodyStart <= limit / MAX_HEADER_DIVISOR ? { before: text.slice(0, bodyStart), after: "" } : NO_MARKUP;
  }

  render(part: Part, limit: number): string {
    const { before, after } = this.markup(part, limit);
    return before + this.blocks[part.block]!.text.slice(part.from, part.to) + after;
  }

  /** Returns the number of characters in a rendered part. */
  length(part: Part, limit: number): number {
    const { before, after } = this.markup(part, limit);
    return before.length + (part.to - part.from) + after.length;
  }

  /** Returns the line breaks to insert between two parts of different blocks. */
  gap(previous: Part, next: Part): string {
    const areListItems =
      this.blocks[previous.block]!.kind === "list_item" && this.blocks[next.block]!.kind === "list_item";
    return areListItems ? "\n" : "\n\n";
  }

  /** Returns the headings above a block as one line and a blank line; empty if the block has none. */
  breadcrumb(block: number, limit: number): string {
    const line = formatBreadcrumb(
      this.blocks[block]!.headingPath,
      Math.floor(limit / MAX_REPEATED_DIVISOR) - BREADCRUMB_GAP.length,
    );
    return line === "" ? "" : line + BREADCRUMB_GAP;
  }

  isHeading(block: number): boolean {
    return this.blocks[block]!.kind === "heading";
  }

  isTopHeading(block: number): boolean {
    return this.isHeading(block) && (this.blocks[block]!.level ?? 1) <= this.#topLevel;
  }

  /** Whether a block belongs with the next block: a heading or a table's caption. */
  introducesNext(block: number): boolean {
    const { kind } = this.blocks[block]!;
    return kind === "heading" || (kind === "caption" && this.blocks[block + 1]?.kind === "table");
  }

  /** Returns the caption of the table to which all parts belong; an empty array if there is none. */
  captionOf(parts: readonly Part[]): readonly string[] {
    const table = parts.at(-1)!.block;
    const caption = this.blocks[table - 1];
    if (this.blocks[table]!.kind !== "table" || caption?.kind !== "caption") return [];
    const title = collapseWhitespace(caption.text);
    const areOfTable = parts.every(({ block }) => block === table || block === table - 1);
    return areOfTable && title.length <= MAX_TITLE_CHARACTERS ? [title] : [];
  }

  /** Returns the number of characters from a heading to the next heading of any level. */
  sectionLength(block: number): number {
    return this.#sectionLengths[block]!;
  }

  /** Returns the offset at which each line of a block begins. */
  lineStarts(block: number): readonly number[] {
    return getOrCreate(this.#lineStarts, block, () => lineStarts(this.blocks[block]!.text));
  }

  /** Returns the number of UTF-16 units in a part's first code point, which is never split. */
  firstCodePointLength({ block, from }: Part): number {
    return String.fromCodePoint(this.blocks[block]!.text.codePointAt(from)!).length;
  }

  /** Returns the offset at which to split a part that doesn't fit whole. */
  splitPoint(part: Part, limits: SplitLimits): number {
    const { kind, text } = this.blocks[part.block]!;
    if (kind === "table") return tableSplitPoint(text, part.from, part.to, this.#bodyStart(part.block), limits);
    return (kind === "code" ? codeSplitPoint : proseSplitPoint)(text, part.from, part.to, limits);
  }

  #fullMarkup({ block, from }: Part): BlockMarkup {
    const { kind, text } = this.blocks[block]!;
    if (kind === "heading" || kind === "list_item") {
      return trimmedStart(text, 0, from) < from ? NO_MARKUP : markerOf(this.blocks[block]!);
    }
    if (kind === "table" ? from < this.#bodyStart(block) : kind !== "code") return NO_MARKUP;
    let markup = this.#repeatedMarkup.get(block);
    if (markup === undefined) {
      markup = repeatedMarkup(this.blocks, block);
      this.#repeatedMarkup.set(block, markup);
    }
    return markup;
  }

  #bodyStart(block: number): number {
    let start = this.#bodyStarts.get(block);
    if (start === undefined) {
      start = tableBodyStart(this.blocks[block]!.text);
      this.#bodyStarts.set(block, start);
    }
    return start;
  }
}

/** Returns the highest heading level in use; ignores the document's title, a single heading above all others. */
function topLevel(blocks: readonly Block[]): number {
  const counts = new Array<number>(7).fill(0);
  for (const { kind, level } of blocks) if (kind === "heading") counts[Math.min(6, level ?? 1)]!++;
  const levels = counts.flatMap((count, level) => (count > 0 ? [level] : []));
  const [first = 0, second] = levels;
  return counts[first] === 1 && second !== undefined ? second : first;
}

function sectionLengths(blocks: readonly Block[]): number[] {
  const lengths = new Array<number>(blocks.length);
  let length = 0;
  for (let i = blocks.length - 1; i >= 0; i--) {
    length += blocks[i]!.text.length + BLOCK_GAP_CHARACTERS;
    lengths[i] = length;
    if (blocks[i]!.kind === "heading") length = 0;
  }
  return lengths;
}
