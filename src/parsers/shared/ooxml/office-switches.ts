import type { ParseConfig } from "../../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../../pageless-options.js";

/** The switches that files with native charts honour. */
export const OFFICE_SWITCHES = [
  ...PAGELESS_OPTIONS,
  "chartUnderstanding",
] as const satisfies readonly (keyof ParseConfig)[];
