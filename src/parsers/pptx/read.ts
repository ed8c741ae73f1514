import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { assertPageCount } from "../shared/errors/page-count.js";
import { officeProperties } from "../shared/office/office-properties.js";
import { drawingOptions } from "../shared/ooxml/drawing-blocks.js";
import { OfficePackage } from "../shared/ooxml/office-package.js";
import { SkippedContent } from "../shared/ooxml/skipped-content.js";
import { child, childElements, prefixedAttribute } from "../shared/xml/xml-tree.js";
import { LanguageTally } from "./language-tally.js";
import { addSlide } from "./slide-blocks.js";
import { addNotes, readCommentAuthors } from "./slide-notes.js";

/** Reads a presentation. Each slide becomes a page. */
export async function readPresentation(
  file: SourceFile,
  options: ParseOptions,
): Promise<Omit<ParsedDocument, "mimeType">> {
  const office = await OfficePackage.open(file, "ppt/presentation.xml", options.signal);
  const slideElements = childElements(child(office.xml(office.mainPart), "sldIdLst"), "sldId");
  const slideParts = slideElements
    .map((id) => office.partById(office.mainPart, prefixedAttribute(id, "id")))
    .filter((part) => part !== undefined);
  assertPageCount(file.name, slideParts.length, "slides");
  const targetBase = { office, list: new BlockList(), skipped: new SkippedContent(), ...drawingOptions(options, true) };
  const { list, skipped } = targetBase;
  const authors = readCommentAuthors(office);
  const languages = new LanguageTally();
  const hiddenPages: number[] = [];
  for (const [i, part] of slideParts.entries()) {
    options.signal?.throwIfAborted();
    const page = i + 1;
    const slide = office.xml(part);
    if (/^(?:0|false)$/.test(slide.attributes.show ?? "")) hiddenPages.push(page);
    languages.add(slide);
    addSlide(slide, { ...targetBase, part, page });
    addNotes(office, part, list, page, authors);
  }
  const { title, metadata } = officeProperties(office.archive);
  const language = metadata.language ?? languages.dominant;
  return {
    blocks: list.blocks,
    title: isMissingOrDefault(title) ? firstHeading(list.blocks) : title,
    pages: slideParts.length,
    metadata: language === null ? metadata : { ...metadata, language },
    warnings: [
      ...missingWarnings(slideElements.length - slideParts.length),
      ...hiddenWarnings(hiddenPages),
      ...skipped.warnings(),
    ],
  };
}

/** Returns whether a title is missing or PowerPoint's default in some language, such as `PowerPoint Presentation`. */
function isMissingOrDefault(title: string | null): boolean {
  return title === null || /^power\s?point\b.{0,20}$|^.{0,20}\bpower\s?point$|^slide \d+$/i.test(title);
}

function missingWarnings(missingCount: number): string[] {
  return missingCount === 0
    ? []
    : [`${missingCount === 1 ? "A slide is" : `${missingCount} slides are`} missing from the file.`];
}

function hiddenWarnings(hidden: readonly number[]): string[] {
  if (hidden.length === 0) return [];
  const slides = hidden.length === 1 ? `Slide ${hidden[0]} is` : `Slides ${hidden.join(", ")} are`;
  return [`${slides} hidden in the presentation, but included.`];
}
