import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { CompoundFile } from "../shared/archive/compound-file.js";
import { summaryProperties } from "../shared/archive/property-set.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { catchRangeErrors } from "../shared/errors/catch-range-errors.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { assertPageCount } from "../shared/errors/page-count.js";
import { PersistDirectory } from "./persist-directory.js";
import { findRecord, type PptRecord, RECORD_TYPE, recordsWithin, uint32 } from "./records.js";
import { type PptShape, readShapes } from "./shapes.js";
import { type PptText, readTexts, TEXT_KIND } from "./text.js";

/** An entry in the presentation's list of slides or notes, with the texts of its placeholders. */
interface ListEntry {
  readonly persistId: number;
  readonly slideId: number;
  readonly texts: readonly PptText[];
}

/** The instances of the slide list record that list slides and notes. */
const SLIDE_LIST = 0;
const NOTES_LIST = 2;

/**
 * Reads a presentation.
 *
 * @throws `invalid_input` if the file is damaged, password-protected or not a presentation.
 */
export function readPresentation(
  { name, bytes }: SourceFile,
  { config = {} }: ParseOptions,
): Omit<ParsedDocument, "mimeType"> {
  const container = new CompoundFile(name, bytes);
  if (container.stream("EncryptedSummary") !== null) throw invalidFile(name, "is password-protected.");
  const stream = container.stream("PowerPoint Document");
  if (stream === null) throw invalidFile(name, "is not a PowerPoint presentation: it has no document stream.");
  const addsImages = config.disableImageExtraction !== true;
  const { list, slideCount } = catchRangeErrors(name, () =>
    readSlides(name, stream, container.stream("Current User"), addsImages),
  );
  const { title, metadata } = summaryProperties(container);
  return {
    blocks: list.blocks,
    title: title ?? firstHeading(list.blocks),
    pages: Math.max(1, slideCount),
    metadata,
    warnings: [],
  };
}

/** Reads the blocks of a presentation and counts its slides. */
function readSlides(
  fileName: string | null,
  stream: Uint8Array,
  currentUser: Uint8Array | null,
  addsImages: boolean,
): { list: BlockList; slideCount: number } {
  const directory = new PersistDirectory(fileName, stream, currentUser);
  const slides = readList(directory.document, SLIDE_LIST);
  assertPageCount(fileName, slides.length, "slides");
  const notes = new Map(readList(directory.document, NOTES_LIST).map((note) => [note.slideId, note]));
  const list = new BlockList();
  for (const [index, slide] of slides.entries()) {
    const page = index + 1;
    const part = directory.findPart(slide.persistId);
    const isSlide = part?.type === RECORD_TYPE.slide;
    const shapes: PptShape[] = isSlide ? readShapes(part, slide.texts) : [];
    addSlide(list, shapes.length > 0 ? shapes : slide.texts.map((text) => ({ kind: "text", text })), page, addsImages);
    const note = isSlide ? notes.get(notesIdOf(part)) : undefined;
    if (note !== undefined) addNotes(list, directory.findPart(note.persistId), note, page);
  }
  if (slides.length > 0) return { list, slideCount: slides.length };
  let slideCount = 0;
  for (const slide of directory.unlistedSlides()) addSlide(list, readShapes(slide, []), ++slideCount, addsImages);
  return { list, slideCount };
}

/** Reads the list of slides or of notes. */
function readList(document: PptRecord | null, instance: number): ListEntry[] {
  const entries: ListEntry[] = [];
  const seen = new Set<number>();
  for (const record of document === null ? [] : recordsWithin(document.bytes)) {
    if (record.type !== RECORD_TYPE.slideList || record.instance !== instance) continue;
    let textRecords: PptRecord[] = [];
    let persist: PptRecord | null = null;
    const flush = (): void => {
      const persistId = persist === null ? null : uint32(persist.bytes, 0);
      // Some presentations list a part twice.
      if (persist !== null && persistId !== null && !seen.has(persistId)) {
        entries.push({ persistId, slideId: uint32(persist.bytes, 12), texts: readTexts(textRecords) });
        seen.add(persistId);
      }
      textRecords = [];
    };
    for (const inner of recordsWithin(record.bytes)) {
      if (inner.type === RECORD_TYPE.slidePersist) {
        flush();
        persist = inner;
      } else textRecords.push(inner);
    }
    flush();
  }
  return entries;
}

/** Returns the id of a slide's notes; 0 if it has none. */
function notesIdOf(slide: PptRecord): number {
  const atom = findRecord(slide.bytes, RECORD_TYPE.slideAtom);
  return atom === null ? 0 : uint32(atom.bytes, 16);
}

function addSlide(list: BlockList, shapes: readonly PptShape[], page: number, addsImages: boolean): void {
  const title = shapes.find((shape) => shape.kind === "text" && isTitle(shape.text));
  if (title?.kind === "text") list.heading(1, plainText(title.text), { page });
  for (const shape of shapes) {
    if (shape === title) continue;
    if (shape.kind === "table") list.table(shape.rows[0] ?? [], shape.rows.slice(1), { page });
    else if (shape.kind === "image") {
      if (addsImages) list.add("image", shape.description, { page });
    } else addText(list, shape.text, page);
  }
}

function addText(list: BlockList, { kind, paragraphs }: PptText, page: number): void {
  const isBody = kind === TEXT_KIND.body || kind === TEXT_KIND.halfBody || kind === TEXT_KIND.quarterBody;
  for (const { text, level, hasBullet } of paragraphs) {
    if (hasBullet ?? isBody) list.add("list_item", text, { level: level + 1, page });
    else list.add("paragraph", text, { page });
  }
}

function addNotes(list: BlockList, part: PptRecord | null, note: ListEntry, page: number): void {
  const shapes = part?.type === RECORD_TYPE.notes ? readShapes(part, note.texts) : [];
  for (const shape of shapes)
    if (shape.kind === "text" && shape.text.kind === TEXT_KIND.notes) list.add("note", plainText(shape.text), { page });
}

function isTitle({ kind, paragraphs }: PptText): boolean {
  return (kind === TEXT_KIND.title || kind === TEXT_KIND.centeredTitle) && paragraphs.length > 0;
}

function plainText({ paragraphs }: PptText): string {
  return paragraphs.map(({ text }) => text).join("\n");
}
