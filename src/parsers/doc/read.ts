import type { Block } from "../../interfaces/block.js";
import type { ParsedDocument, SourceFile } from "../../interfaces/parser.js";
import { CompoundFile } from "../shared/archive/compound-file.js";
import { summaryProperties } from "../shared/archive/property-set.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { decodeCodePage } from "../shared/charset/code-page.js";
import { catchRangeErrors } from "../shared/errors/catch-range-errors.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { ListCounter } from "../shared/office/list-counter.js";
import { blockOutsideSections, withHeadersAndFooters } from "../shared/office/outside-sections.js";
import { DocText } from "./character-text.js";
import { type FileInformation, readFileInformation, STRUCTURES } from "./file-information.js";
import { readFormatting } from "./formatting.js";
import { readLists } from "./lists.js";
import { DocNotes } from "./notes.js";
import { type Piece, readPieces } from "./pieces.js";
import { readStory, type StoryContext } from "./story.js";
import { DocStyles } from "./styles.js";

/**
 * Reads a Word document.
 *
 * @throws `invalid_input` if the document is damaged or password-protected.
 */
export function readDocument({ name, bytes }: SourceFile): Omit<ParsedDocument, "mimeType"> {
  const container = new CompoundFile(name, bytes);
  const { blocks, warnings, ...headersAndFooters } = catchRangeErrors(name, () => readContent(name, container));
  const { title, metadata } = summaryProperties(container);
  return {
    blocks: withHeadersAndFooters(blocks, headersAndFooters),
    title: title ?? firstHeading(blocks),
    pages: null,
    metadata,
    warnings,
  };
}

interface DocContent {
  readonly headers: ReadonlySet<string>;
  readonly blocks: readonly Block[];
  readonly footers: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

function readContent(fileName: string | null, container: CompoundFile): DocContent {
  const stream = container.stream("WordDocument");
  if (stream === null) throw invalidFile(fileName, "is not a Word document: it has no document stream.");
  const info = readFileInformation(fileName, stream);
  const table =
    container.stream(info.table) ?? container.stream("1Table") ?? container.stream("0Table") ?? EMPTY_STREAM;
  const readStructure = (index: number): Uint8Array => {
    const { start, length } = info.location(index);
    return table.subarray(start, start + length);
  };
  const pieces = readPieces(stream, readStructure(STRUCTURES.pieces), info.codePage);
  const characterRuns = readFormatting(stream, readStructure(STRUCTURES.characters), "characters");
  const docText = new DocText(pieces.length > 0 ? pieces : singlePiece(stream, info), characterRuns);
  if (docText.text === "") throw invalidFile(fileName, "is damaged: its text cannot be found.");
  // Overlapping ranges could contain the same text many times.
  let remainingCharacters = docText.text.length * 2;
  const textBetween = (start: number, end: number): string => {
    remainingCharacters -= Math.max(0, Math.min(end, docText.text.length) - start);
    return remainingCharacters < 0 ? "" : storyText(context, start, end);
  };
  const { start, length } = info.location(STRUCTURES.listDefinitions);
  // The levels of lists follow the structure with their definitions.
  const definitions = length === 0 ? EMPTY_STREAM : table.subarray(start);
  const lists = readListsIfIntact(definitions, readStructure(STRUCTURES.lists));
  const notes = new DocNotes(info, readStructure, textBetween);
  const context: StoryContext = {
    text: docText,
    paragraphRuns: readFormatting(stream, readStructure(STRUCTURES.paragraphs), "paragraphs"),
    styles: new DocStyles(readStructure(STRUCTURES.styles)),
    lists: lists ?? new Map(),
    listCounter: new ListCounter(),
    takeNote: (position) => notes.take(position),
    noteSignsBetween: (start, end) => notes.signsBetween(start, end),
  };
  const { lengths } = info;
  const headersStart = lengths.body + lengths.footnotes;
  const textBoxesStart = headersStart + lengths.headers + lengths.comments + lengths.endnotes;
  const body = readStory(context, 0, lengths.body || docText.text.length).list.blocks;
  const textBoxes = readStory(context, textBoxesStart, textBoxesStart + lengths.textBoxes).list.blocks;
  const remainingNotes = notes.takeRemaining().map((note) => blockOutsideSections("note", note));
  const headersAndFooters = readHeadersAndFooters(textBetween, readStructure(STRUCTURES.headers), headersStart);
  const warnings = lists === null ? ["The numbers of lists are damaged and were skipped."] : [];
  return { ...headersAndFooters, blocks: [...body, ...textBoxes, ...remainingNotes], warnings };
}

/** Reads the lists of a document; returns `null` if their structures are truncated. */
function readListsIfIntact(definitions: Uint8Array, overrides: Uint8Array): ReturnType<typeof readLists> | null {
  try {
    return readLists(definitions, overrides);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const EMPTY_STREAM = new Uint8Array(0);

/** Returns the text of a document from before Word 97 as one piece: the text is one run of bytes. */
function singlePiece(stream: Uint8Array, info: FileInformation): Piece[] {
  const { textStart, textEnd, codePage } = info;
  if (textEnd <= textStart) return [];
  const text = decodeCodePage(stream.subarray(textStart, textEnd), codePage);
  return [{ start: 0, offset: textStart, bytesPerCharacter: 1, text }];
}

function storyText(context: StoryContext, start: number, end: number): string {
  const { blocks } = readStory(context, start, end).list;
  return blocks
    .map(({ text }) => text)
    .join("\n")
    .trim();
}

/**
 * Reads headers and footers. The first six texts are separators of notes. Six texts follow for each section: the
 * headers and then the footers of even and odd pages, and the header and footer of the first page.
 *
 * @param index The structure with the positions of the texts.
 * @param start The position of the first header in the document.
 */
function readHeadersAndFooters(
  textBetween: (start: number, end: number) => string,
  index: Uint8Array,
  start: number,
): Pick<DocContent, "headers" | "footers"> {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const texts = { headers: new Set<string>(), footers: new Set<string>() };
  for (let i = 6; (i + 2) * 4 <= index.length && i < 600; i++) {
    const [from, to] = [view.getUint32(i * 4, true), view.getUint32(i * 4 + 4, true)];
    if (to <= from) continue;
    const kind = [2, 3, 5].includes(i % 6) ? "footers" : "headers";
    const text = textBetween(start + from, start + to);
    if (/\p{L}/u.test(text)) texts[kind].add(text);
  }
  return texts;
}
