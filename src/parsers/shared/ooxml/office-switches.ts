import type { ParseConfig } from "../../../interfaces/parser.js";
import { PAGELESS_SWITCHES } from "../blocks/pageless-switches.js";

/** The switches that files with native charts honour. */
export const OFFICE_SWITCHES = [
  ...PAGELESS_SWITCHES,
  "chartUnderstanding",
] as const satisfies readonly (keyof ParseConfig)[];
