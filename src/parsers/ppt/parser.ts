import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { invalidFile } from "../shared/errors/file-errors.js";

const MIME_TYPE = "application/vnd.ms-powerpoint";

/** PowerPoint presentations of 1997 to 2003: each slide a page, with its title, texts, tables and notes. */
export const pptParser: Parser = {
  name: "ppt",
  mimeTypes: [MIME_TYPE, "application/mspowerpoint"],
  extensions: ["ppt", "pps", "pot"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const [{ CompoundFile }, { readPresentation }, { summaryProperties }, { catchRangeErrors }] = await Promise.all([
      import("../shared/archive/compound-file.js"),
      import("./read.js"),
      import("../shared/archive/property-set.js"),
      import("../shared/errors/catch-range-errors.js"),
    ]);
    const container = new CompoundFile(file.name, file.bytes);
    if (container.stream("EncryptedSummary") !== null) throw invalidFile(file.name, "is encrypted with a password.");
    const stream = container.stream("PowerPoint Document");
    if (stream === null) throw invalidFile(file.name, "is not a PowerPoint presentation: it has no document stream.");
    const images = options.config?.disableImageExtraction !== true;
    const { list, slides } = catchRangeErrors(file.name, () =>
      readPresentation(file.name, stream, container.stream("Current User"), images),
    );
    options.signal?.throwIfAborted();
    const { title, metadata } = summaryProperties(container);
    return {
      blocks: list.blocks,
      title: title ?? firstHeading(list.blocks),
      mimeType: MIME_TYPE,
      pages: Math.max(1, slides),
      metadata,
      warnings: [],
    };
  },
};
