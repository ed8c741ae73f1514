import type { ParseConfig } from "../../../interfaces/parser.js";

/** The switches whose wish is granted by a format without page furniture and by a parser that makes no captions. */
export const PAGELESS_SWITCHES = [
  "disableImageExtraction",
  "disableImageCaptions",
  "disableOcrMath",
  "keepPageheaderInOutput",
  "keepPagefooterInOutput",
] as const satisfies readonly (keyof ParseConfig)[];
