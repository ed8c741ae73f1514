import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { showsPictures } from "../shared/html/find-picture.js";

const TYPE = "application/vnd.oasis.opendocument.";
const KINDS = ["text", "spreadsheet", "presentation", "graphics"] as const;

/** OpenDocument texts, spreadsheets, presentations and drawings; sheets and slides are pages. */
export const odfParser: Parser = {
  name: "odf",
  mimeTypes: [
    ...KINDS.flatMap((kind) => [`${TYPE}${kind}`, `${TYPE}${kind}-template`, `${TYPE}${kind}-flat-xml`]),
    `${TYPE}text-master`,
  ],
  extensions: ["odt", "ott", "odm", "fodt", "ods", "ots", "fods", "odp", "otp", "fodp", "odg", "otg", "fodg"],
  honours: [...PAGELESS_OPTIONS, "chartUnderstanding"],
  detect: (head) => /^\s*<\?xml[^>]*>\s*(?:<!--[\s\S]*?-->\s*)*<office:document\s/.test(new TextDecoder().decode(head)),
  async parse(file, options) {
    const [{ openPackage }, { readDocument }, { catchRangeErrors }] = await Promise.all([
      import("./open-package.js"),
      import("./read.js"),
      import("../shared/errors/catch-range-errors.js"),
    ]);
    const parts = await openPackage(file.name, file.bytes, options.signal);
    options.signal?.throwIfAborted();
    const settings = {
      images: options.config?.disableImageExtraction !== true,
      pictures: showsPictures(options),
      charts: options.config?.chartUnderstanding === true,
    };
    const document = catchRangeErrors(file.name, () => readDocument(file.name, parts, settings));
    const mimeType = parts.mimeType !== null && odfParser.mimeTypes.includes(parts.mimeType) ? parts.mimeType : null;
    return { ...document, mimeType: mimeType ?? `${TYPE}text` };
  },
};
