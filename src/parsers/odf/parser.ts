import type { Parser } from "../../interfaces/parser.js";
import { CHART_OPTIONS } from "../pageless-options.js";

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
  honours: CHART_OPTIONS,
  detect: (head) => /^\s*<\?xml[^>]*>\s*(?:<!--[\s\S]*?-->\s*)*<office:document\s/.test(new TextDecoder().decode(head)),
  async parse(file, options) {
    const { readDocument } = await import("./read.js");
    const { declaredType, ...document } = await readDocument(file, options);
    const isKnown = declaredType !== null && odfParser.mimeTypes.includes(declaredType);
    return { ...document, mimeType: isKnown ? declaredType : `${TYPE}text` };
  },
};
