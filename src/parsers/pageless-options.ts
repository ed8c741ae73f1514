import type { ParseConfig } from "../interfaces/parser.js";

/** Options without effect for formats that have no page furniture and whose parser creates no captions. */
export const PAGELESS_OPTIONS = [
  "disableImageExtraction",
  "disableImageCaptions",
  "disableOcrMath",
  "keepPageheaderInOutput",
  "keepPagefooterInOutput",
] as const satisfies readonly (keyof ParseConfig)[];
