import type { Parser } from "../../interfaces/parser.js";
import { CHART_OPTIONS } from "../pageless-options.js";

const MIME_TYPE_PREFIX = "application/vnd.oasis.opendocument.";
const KINDS = ["text", "spreadsheet", "presentation", "graphics"] as const;

/** Parses OpenDocument texts, spreadsheets, presentations and drawings. Sheets and slides become pages. */
export const odfParser: Parser = {
  name: "odf",
  mimeTypes: [
    ...KINDS.flatMap((kind) => [
      `${MIME_TYPE_PREFIX}${kind}`,
      `${MIME_TYPE_PREFIX}${kind}-template`,
      `${MIME_TYPE_PREFIX}${kind}-flat-xml`,
    ]),
    `${MIME_TYPE_PREFIX}text-master`,
  ],
  extensions: ["odt", "ott", "odm", "fodt", "ods", "ots", "fods", "odp", "otp", "fodp", "odg", "otg", "fodg"],
  supportedOptions: CHART_OPTIONS,
  detect: (head) => /^\s*<\?xml[^>]*>\s*(?:<!--[\s\S]*?-->\s*)*<office:document\s/.test(new TextDecoder().decode(head)),
  async parse(file, options) {
    const { readDocument } = await import("./read.js");
    const { declaredType, ...document } = await readDocument(file, options);
    const isKnown = declaredType !== null && odfParser.mimeTypes.includes(declaredType);
    return { ...document, mimeType: isKnown ? declaredType : `${MIME_TYPE_PREFIX}text` };
  },
};
