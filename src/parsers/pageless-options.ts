import type { ParseConfig } from "../interfaces/parser.js";

/**
 * The options that all built-in parsers support. That some of them change nothing in some formats is not worth a
 * warning.
 */
export const PAGELESS_OPTIONS = [
  "disableImageExtraction",
  "disableImageCaptions",
  "disableOcrMath",
  "keepPageheaderInOutput",
  "keepPagefooterInOutput",
] as const satisfies readonly (keyof ParseConfig)[];

/** The options that parsers of formats with charts support. */
export const CHART_OPTIONS = [...PAGELESS_OPTIONS, "chartUnderstanding"] as const;

/** The options that parsers with OCR support. */
export const OCR_OPTIONS = [...PAGELESS_OPTIONS, "forceOcr", "languageCode", "mode"] as const;
