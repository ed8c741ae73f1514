import type { Parser } from "../../interfaces/parser.js";
import { PARSE_LIMITS } from "../limits.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { fileOverLimit } from "../shared/errors/file-errors.js";
import { showsPictures } from "../shared/html/find-picture.js";
import { officeProperties } from "../shared/office/office-properties.js";
import { OFFICE_SWITCHES } from "../shared/ooxml/office-switches.js";

const OFFICE = "application/vnd.openxmlformats-officedocument.presentationml.";
const MIME_TYPE = `${OFFICE}presentation`;

/** PowerPoint presentations: a slide is a page, its title a heading; notes and comments follow the slide. */
export const pptxParser: Parser = {
  name: "pptx",
  mimeTypes: [
    MIME_TYPE,
    `${OFFICE}slideshow`,
    `${OFFICE}template`,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    "application/vnd.ms-powerpoint.template.macroenabled.12",
  ],
  extensions: ["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
  honours: OFFICE_SWITCHES,
  async parse(file, options) {
    const [{ OfficePackage }, { Losses }, { slideParts, isHidden }, { slideBlocks }, notes, { LanguageTally }] =
      await Promise.all([
        import("../shared/ooxml/office-package.js"),
        import("../shared/ooxml/losses.js"),
        import("./slide-parts.js"),
        import("./slide-blocks.js"),
        import("./slide-notes.js"),
        import("./language-tally.js"),
      ]);
    const office = await OfficePackage.open(file, "ppt/presentation.xml", options.signal);
    const { slides, missing } = slideParts(office);
    if (slides.length > PARSE_LIMITS.maxPages)
      throw fileOverLimit(file.name, `has ${slides.length} slides, more than the ${PARSE_LIMITS.maxPages} allowed.`);
    const list = new BlockList();
    const losses = new Losses();
    const { disableImageExtraction, disableImageCaptions, chartUnderstanding } = options.config ?? {};
    const images = disableImageExtraction !== true && disableImageCaptions !== true;
    const pictures = showsPictures(options);
    const charts = chartUnderstanding === false ? "title" : "table";
    const authors = notes.commentAuthors(office);
    const languages = new LanguageTally();
    const hidden: number[] = [];
    for (const [i, part] of slides.entries()) {
      options.signal?.throwIfAborted();
      const page = i + 1;
      const tree = office.xml(part);
      if (isHidden(tree)) hidden.push(page);
      languages.add(tree);
      slideBlocks(office, { part, tree }, list, losses, { page, images, pictures, charts });
      notes.slideNotes(office, part, list, page, authors);
    }
    const { title, metadata } = officeProperties(office.archive);
    const language = metadata.language ?? languages.most;
    return {
      blocks: list.blocks,
      title: isGeneric(title) ? firstHeading(list.blocks) : title,
      mimeType: MIME_TYPE,
      pages: slides.length,
      metadata: language === null ? metadata : { ...metadata, language },
      warnings: [...missingWarning(missing), ...hiddenWarning(hidden), ...losses.warnings()],
    };
  },
};

/** Whether a title is PowerPoint's default, in the language of its menus: `PowerPoint Presentation`. */
function isGeneric(title: string | null): boolean {
  return title === null || /^power\s?point\b.{0,20}$|^.{0,20}\bpower\s?point$|^slide \d+$/i.test(title);
}

function missingWarning(missing: number): string[] {
  return missing === 0 ? [] : [`${missing === 1 ? "A slide is" : `${missing} slides are`} missing from the file.`];
}

function hiddenWarning(hidden: readonly number[]): string[] {
  if (hidden.length === 0) return [];
  return [
    `${hidden.length === 1 ? "Slide" : "Slides"} ${hidden.join(", ")}: hidden in the presentation, but included.`,
  ];
}
