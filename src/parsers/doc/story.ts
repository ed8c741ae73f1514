import { webLink } from "../shared/html/web-link.js";
import type { ListCounter, NumberedList } from "../shared/office/list-counter.js";
import { blockOutsideSections } from "../shared/office/outside-sections.js";
import { hyperlinkUrl, ParagraphFlow, type ParagraphFormat } from "../shared/office/paragraph-flow.js";
import type { DocText } from "./character-text.js";
import { type FormatRun, type Property, runAt } from "./formatting.js";
import type { DocStyles } from "./styles.js";

/** The context shared by all stories (the body, notes, headers and text boxes) of a document. */
export interface StoryContext {
  readonly text: DocText;
  readonly paragraphRuns: readonly FormatRun[];
  readonly styles: DocStyles;
  readonly lists: ReadonlyMap<number, NumberedList>;
  readonly listCounter: ListCounter;
  /**
   * Removes and returns the note whose reference is at a position: the reference as shown, and the text to add after
   * the paragraph. Returns `null` if there is none or it was taken before.
   */
  takeNote(position: number): { readonly reference: string; readonly text: string } | null;
  /** Returns the positions in a range at which a sign that the author chose refers to a note, in ascending order. */
  noteSignsBetween(start: number, end: number): readonly number[];
}

/** A field whose end has not been reached. */
interface OpenField {
  instruction: string;
  isResult: boolean;
  /** The id of the run of text with the result. */
  readonly runId: number;
}

/** Codes of paragraph properties. */
const IN_TABLE = 0x2416;
const ROW_END = 0x2417;
const TABLE_DEPTH = 0x6649;
const INNER_CELL_END = 0x244b;
const INNER_ROW_END = 0x244c;
const OUTLINE_LEVEL = 0x2640;
const LIST_LEVEL = 0x260a;
const LIST = 0x460b;
/** List ids from this one on mean that a paragraph is in no list. */
const FIRST_UNLISTED_ID = 0xf801;

/** Characters that end a paragraph, a cell or row, or a page. */
const PARAGRAPH_END_CHARACTERS = new Set(["\r", "\x07", "\f"]);
const EMPTY_ROW = { edges: [], merges: [], isHeader: false };

/** Reads the characters between two positions as paragraphs and tables. */
export function readStory(context: StoryContext, start: number, end: number): ParagraphFlow {
  const story = new Story(context);
  const { text } = context.text;
  let at = Math.min(start, text.length);
  const stop = Math.min(end, text.length);
  for (const { index, 0: char } of text.slice(at, stop).matchAll(/\p{Cc}/gu)) {
    if (!PARAGRAPH_END_CHARACTERS.has(char)) continue;
    const markPosition = start + index;
    story.addParagraph(at, markPosition);
    at = markPosition + 1;
  }
  if (at < stop) story.addParagraph(at, stop);
  return story.end();
}

class Story {
  readonly #context: StoryContext;
  readonly #flow = new ParagraphFlow();
  readonly #fields: OpenField[] = [];
  #followsCell = false;

  constructor(context: StoryContext) {
    this.#context = context;
  }

  /**
   * Adds a paragraph.
   *
   * @param markPosition The position of the character that ends the paragraph.
   */
  addParagraph(start: number, markPosition: number): void {
    const { text } = this.#context.text;
    this.#addCharacters(text.slice(start, markPosition), start);
    for (const position of this.#context.noteSignsBetween(start, markPosition)) this.#addNote(position);
    const run = runAt(this.#context.paragraphRuns, this.#context.text.offsetOf(markPosition));
    const isCellMark = text[markPosition] === "\x07";
    const format = this.#formatOf(run, isCellMark);
    // A row ends with a cell mark of its own, after the mark of its last cell.
    const isRowEnd =
      isSet(run, ROW_END) || (run === undefined && isCellMark && this.#followsCell && start === markPosition);
    if (!isRowEnd && !isSet(run, INNER_ROW_END)) this.#flow.marker = this.#nextMarker(run);
    if (isCellMark && isRowEnd) this.#flow.endRow(1, EMPTY_ROW);
    else if (isCellMark) this.#flow.endCell(1, format);
    else if (isSet(run, INNER_ROW_END)) {
      this.#flow.text = "";
      this.#flow.endRow(Math.max(2, format.tableDepth), EMPTY_ROW);
    } else if (isSet(run, INNER_CELL_END)) this.#flow.endCell(Math.max(2, format.tableDepth), format);
    else this.#flow.endParagraph(format);
    this.#followsCell = isCellMark && !isRowEnd;
  }

  end(): ParagraphFlow {
    this.#flow.end(this.#formatOf(undefined, false));
    return this.#flow;
  }

  #formatOf(run: FormatRun | undefined, isCellMark: boolean): ParagraphFormat {
    const style = this.#context.styles.get(run?.style ?? 0);
    const outlineLevel = operandOf(run, OUTLINE_LEVEL);
    const list = this.#listOf(run);
    const depth = Math.min(20, operandOf(run, TABLE_DEPTH) ?? 0);
    return {
      headingLevel: outlineLevel === undefined ? style.headingLevel : outlineLevel < 9 ? outlineLevel + 1 : null,
      listLevel: list?.level ?? null,
      tableDepth: depth > 0 ? depth : isCellMark || isSet(run, IN_TABLE) ? 1 : 0,
      isHanging: false,
      indent: 0,
    };
  }

  /** Returns the list of a paragraph and the level in it, from 0; `null` if it is in none. */
  #listOf(run: FormatRun | undefined): { readonly id: number; readonly level: number } | null {
    const style = this.#context.styles.get(run?.style ?? 0);
    const id = operandOf(run, LIST) ?? style.listId;
    if (id <= 0 || id >= FIRST_UNLISTED_ID) return null;
    return { id, level: Math.min(8, operandOf(run, LIST_LEVEL) ?? style.listLevel) };
  }

  /** Counts a paragraph of a list. Returns its number as displayed; an empty string if it has none. */
  #nextMarker(run: FormatRun | undefined): string {
    const { lists, listCounter } = this.#context;
    const place = this.#listOf(run);
    const list = place === null ? undefined : lists.get(place.id);
    return list === undefined ? "" : listCounter.next(list, place!.level);
  }

  #addCharacters(text: string, start: number): void {
    let at = 0;
    for (const { index, 0: char } of text.matchAll(/[\p{Cc}\u00ad]/gu)) {
      this.#addText(text.slice(at, index));
      this.#addSpecialCharacter(char, start + index);
      at = index + 1;
    }
    this.#addText(text.slice(at));
  }

  #addSpecialCharacter(char: string, position: number): void {
    const field = this.#fields.at(-1);
    if (char === "\x0b" || char === "\x0e") this.#addText("\n");
    else if (char === "\t") this.#addText("\t");
    else if (char === "\x1e") this.#addText("-");
    else if (char === "\x02" || char === "\x05") this.#addNote(position);
    else if (char === "\x13") this.#fields.push({ instruction: "", isResult: false, runId: this.#flow.beginRun() });
    else if (char === "\x14" && field !== undefined) field.isResult = true;
    else if (char === "\x15") this.#endField();
  }

  #addNote(position: number): void {
    const note = this.#context.takeNote(position);
    if (note === null) return;
    this.#addText(note.reference);
    if (note.text !== "") this.#flow.attach([blockOutsideSections("note", note.text)]);
  }

  #endField(): void {
    const field = this.#fields.pop();
    if (field === undefined) return;
    this.#flow.endRun(field.runId, (text) => webLink(text, hyperlinkUrl(field.instruction)));
  }

  #addText(text: string): void {
    const openField = this.#fields.find((field) => !field.isResult);
    if (openField === undefined) this.#flow.text += text;
    else if (openField.instruction.length < 10_000) openField.instruction += text;
  }
}

function operandOf(run: FormatRun | undefined, code: number): number | undefined {
  return run?.properties.findLast((property: Property) => property.code === code)?.operand;
}

function isSet(run: FormatRun | undefined, code: number): boolean {
  return operandOf(run, code) === 1;
}
