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
import { slideBlocks } from "./slide-blocks.js";
import { commentAuthors, slideNotes } from "./slide-notes.js";

/** Reads a presentation, slide by slide. */
export async function readPresentation(
  file: SourceFile,
  options: ParseOptions,
): Promise<Omit<ParsedDocument, "mimeType">> {
  const office = await OfficePackage.open(file, "ppt/presentation.xml", options.signal);
  const ids = childElements(child(office.xml(office.mainPart), "sldIdLst"), "sldId");
  const slides = ids
    .map((id) => office.partById(office.mainPart, prefixedAttribute(id, "id")))
    .filter((part) => part !== undefined);
  assertPageCount(file.name, slides.length, "slides");
  const shared = { office, list: new BlockList(), skipped: new SkippedContent(), ...drawingOptions(options, true) };
  const { list, skipped } = shared;
  const authors = commentAuthors(office);
  const languages = new LanguageTally();
  const hidden: number[] = [];
  for (const [i, part] of slides.entries()) {
    options.signal?.throwIfAborted();
    const page = i + 1;
    const slide = office.xml(part);
    if (/^(?:0|false)$/.test(slide.attributes.show ?? "")) hidden.push(page);
    languages.add(slide);
    slideBlocks(slide, { ...shared, part, page });
    slideNotes(office, part, list, page, authors);
  }
  const { title, metadata } = officeProperties(office.archive);
  const language = metadata.language ?? languages.dominant;
  return {
    blocks: list.blocks,
    title: isGeneric(title) ? firstHeading(list.blocks) : title,
    pages: slides.length,
    metadata: language === null ? metadata : { ...metadata, language },
    warnings: [...missingWarning(ids.length - slides.length), ...hiddenWarning(hidden), ...skipped.warnings()],
  };
}

/** Whether a title is missing or PowerPoint's default in some language, such as `PowerPoint Presentation`. */
function isGeneric(title: string | null): boolean {
  return title === null || /^power\s?point\b.{0,20}$|^.{0,20}\bpower\s?point$|^slide \d+$/i.test(title);
}

function missingWarning(missing: number): string[] {
  return missing === 0 ? [] : [`${missing === 1 ? "A slide is" : `${missing} slides are`} missing from the file.`];
}

function hiddenWarning(hidden: readonly number[]): string[] {
  if (hidden.length === 0) return [];
  const slides = hidden.length === 1 ? `Slide ${hidden[0]} is` : `Slides ${hidden.join(", ")} are`;
  return [`${slides} hidden in the presentation, but included.`];
}
