import type { Block } from "../interfaces/block.js";
import { breadcrumb } from "./breadcrumb.js";
import { type CutRoom, cutCode, cutProse, cutTable } from "./cut.js";
import { type BlockMarks, firstMarks, restMarks, tableBodyStart } from "./marks.js";
import { trimmedEnd, trimmedStart } from "./sentences.js";

/** A range of one block's text. */
export interface Part {
  /** Index of the block. */
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

const CRUMB_GAP = "\n\n";
const NO_MARKS: BlockMarks = { before: "", after: "" };
/** What stands between two blocks in a document's text. */
const BLOCK_GAP_CHARACTERS = 2;
/** Neither the breadcrumb nor what is repeated around a part may take more of a chunk than one part in this many. */
const REPEATED_SHARE = 3;

/** The blocks of a document and what the chunker asks of them, each answered in time that doesn't grow with the document. */
export class Source {
  readonly blocks: readonly Block[];
  /** Headings of this level or above open a part of the document that is nobody's neighbour. */
  readonly #topLevel: number;
  readonly #starts: readonly number[];
  /** By block: the characters up to the next heading. */
  readonly #sections: readonly number[];
  readonly #rest = new Map<number, BlockMarks>();
  readonly #bodies = new Map<number, number>();

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
    this.#sections = sectionLengths(blocks);
  }

  /** Where a block starts in the document's text. */
  startOf(block: number): number {
    return this.#starts[block]!;
  }

  /** A block as one part, spaces around it left out; null when nothing is left. */
  part(block: number, from = 0, to = this.blocks[block]!.text.length): Part | null {
    const { text, kind } = this.blocks[block]!;
    const end = trimmedEnd(text, from, to);
    const start = trimmedStart(text, from, end);
    if (start === end) return null;
    // The indent of a line of code is part of it.
    const indent = kind === "code" ? from + text.slice(from, start).lastIndexOf("\n") + 1 : start;
    return { block, from: indent, to: end };
  }

  /** What a part is shown with; nothing where that would take too much of `limit`. */
  marks(part: Part, limit: number): BlockMarks {
    const marks = this.#allMarks(part);
    return marks.before.length + marks.after.length > limit / REPEATED_SHARE ? NO_MARKS : marks;
  }

  render(part: Part, limit: number): string {
    const { before, after } = this.marks(part, limit);
    return before + this.blocks[part.block]!.text.slice(part.from, part.to) + after;
  }

  /** Characters of a rendered part. */
  length(part: Part, limit: number): number {
    const { before, after } = this.marks(part, limit);
    return before.length + (part.to - part.from) + after.length;
  }

  /** What stands between two parts of different blocks. */
  gap(above: Part, below: Part): string {
    const isList = this.blocks[above.block]!.kind === "list_item" && this.blocks[below.block]!.kind === "list_item";
    return isList ? "\n" : "\n\n";
  }

  /** The headings above a block as the first line of a chunk and the gap below it; empty without any. */
  crumb(block: number, limit: number): string {
    const line = breadcrumb(this.blocks[block]!.headingPath, Math.floor(limit / REPEATED_SHARE) - CRUMB_GAP.length);
    return line === "" ? "" : line + CRUMB_GAP;
  }

  isHeading(block: number): boolean {
    return this.blocks[block]!.kind === "heading";
  }

  isTopHeading(block: number): boolean {
    return this.isHeading(block) && (this.blocks[block]!.level ?? 1) <= this.#topLevel;
  }

  /** Whether a block says nothing without the next one: a heading, or a table's caption. */
  leadsOn(block: number): boolean {
    const { kind } = this.blocks[block]!;
    return kind === "heading" || (kind === "caption" && this.blocks[block + 1]?.kind === "table");
  }

  /** Characters from a heading to the next, of any level. */
  sectionLength(block: number): number {
    return this.#sections[block]!;
  }

  /** UTF-16 units of a part's first code point, which no cut divides. */
  firstCharacter({ block, from }: Part): number {
    return String.fromCodePoint(this.blocks[block]!.text.codePointAt(from)!).length;
  }

  /** Where to end the first piece of a part that has no room as a whole. */
  cut(part: Part, room: CutRoom): number {
    const { kind, text } = this.blocks[part.block]!;
    if (kind === "table") return cutTable(text, part.from, part.to, this.#bodyStart(part.block), room);
    return (kind === "code" ? cutCode : cutProse)(text, part.from, part.to, room);
  }

  #allMarks({ block, from }: Part): BlockMarks {
    const { kind, text } = this.blocks[block]!;
    if (kind === "heading" || kind === "list_item") {
      return trimmedStart(text, 0, from) < from ? NO_MARKS : firstMarks(this.blocks[block]!);
    }
    if (kind === "table" ? from < this.#bodyStart(block) : kind !== "code") return NO_MARKS;
    let marks = this.#rest.get(block);
    if (marks === undefined) {
      marks = restMarks(this.blocks, block);
      this.#rest.set(block, marks);
    }
    return marks;
  }

  #bodyStart(block: number): number {
    let start = this.#bodies.get(block);
    if (start === undefined) {
      start = tableBodyStart(this.blocks[block]!.text);
      this.#bodies.set(block, start);
    }
    return start;
  }
}

/** The highest level in use; a lone heading above all others is the document's title and does not count. */
function topLevel(blocks: readonly Block[]): number {
  const counts = new Array<number>(7).fill(0);
  for (const { kind, level } of blocks) if (kind === "heading") counts[Math.min(6, level ?? 1)]!++;
  const levels = counts.flatMap((count, level) => (count > 0 ? [level] : []));
  const [first = 0, second] = levels;
  return counts[first] === 1 && second !== undefined ? second : first;
}

function sectionLengths(blocks: readonly Block[]): number[] {
  const lengths = new Array<number>(blocks.length);
  let below = 0;
  for (let i = blocks.length - 1; i >= 0; i--) {
    below += blocks[i]!.text.length + BLOCK_GAP_CHARACTERS;
    lengths[i] = below;
    if (blocks[i]!.kind === "heading") below = 0;
  }
  return lengths;
}
