import type { ParseConfig } from "../interfaces/parser.js";

/** Options without effect for formats that have no page furniture and whose parser creates no captions. */
export const PAGELESS_OPTIONS = [
  "disableImageExtraction",
  "disableImageCaptions",
  "disableOcrMath",
  "keepPageheaderInOutput",
  "keepPagefooterInOutput",
] as const satisfies readonly (keyof ParseConfig)[];

/** Options of formats with charts. */
export const CHART_OPTIONS = [...PAGELESS_OPTIONS, "chartUnderstanding"] as const;

/** Options of formats that may need OCR. */
export const OCR_OPTIONS = [...PAGELESS_OPTIONS, "forceOcr", "languageCode", "mode"] as const;
