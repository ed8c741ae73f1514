import type { ParseConfig } from "../interfaces/parser.js";
import { installedModel } from "../parsers/shared/ocr/ocr-language.js";
import { PREPARATION_VERSION } from "./preparation-version.js";
import type { PreparerOptions } from "./preparer-options.js";

/**
 * What chunks depend on besides a file and its config: the version of the built-in rules, the caller's own parsers and chunker by name,
 * the model by which text in pictures would be recognised, null where that is not installed, and with `useLlm` the language model.
 */
export function preparationRules(
  { parsers, chunker, languageModel }: Pick<PreparerOptions, "parsers" | "chunker" | "languageModel">,
  { languageCode, useLlm }: Pick<ParseConfig, "languageCode" | "useLlm">,
): string {
  const names = parsers.map(({ name }) => name);
  const refinedBy = useLlm && languageModel ? [languageModel.name] : [];
  return JSON.stringify([
    PREPARATION_VERSION,
    names,
    chunker?.name ?? null,
    installedModel(languageCode),
    ...refinedBy,
  ]);
}
