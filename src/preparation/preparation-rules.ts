import type { ParseConfig } from "../interfaces/parser.js";
import { installedModel } from "../parsers/ocr/ocr-language.js";
import type { PreparerOptions } from "./isolated-preparer.js";
import { PREPARATION_VERSION } from "./preparation-version.js";

/**
 * What chunks depend on besides a file and its config: the version of the built-in rules, the caller's own parsers and chunker by name,
 * and the model by which text in pictures would be recognised, null where that is not installed.
 */
export function preparationRules(
  { parsers, chunker }: Pick<PreparerOptions, "parsers" | "chunker">,
  { languageCode }: Pick<ParseConfig, "languageCode">,
): string {
  const names = parsers.map(({ name }) => name);
  return JSON.stringify([PREPARATION_VERSION, names, chunker?.name ?? null, installedModel(languageCode)]);
}
