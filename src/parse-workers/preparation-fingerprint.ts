import type { ParseConfig } from "../interfaces/parser.js";
import { installedModelLanguage } from "../parsers/shared/ocr/ocr-language.js";
import { PREPARATION_VERSION } from "./preparation-version.js";
import type { PreparerOptions } from "./preparer-options.js";

/**
 * Returns a fingerprint of what chunks depend on besides the file and its config: the version of the built-in rules,
 * the names of custom parsers and the custom chunker, the OCR model and, with `useLlm`, the language model.
 */
export function preparationFingerprint(
  { parsers, chunker, languageModel }: Pick<PreparerOptions, "parsers" | "chunker" | "languageModel">,
  { languageCode, useLlm }: Pick<ParseConfig, "languageCode" | "useLlm">,
): string {
  const parserNames = parsers.map(({ name }) => name);
  const modelNames = useLlm && languageModel ? [languageModel.name] : [];
  return JSON.stringify([
    PREPARATION_VERSION,
    parserNames,
    chunker?.name ?? null,
    installedModelLanguage(languageCode),
    ...modelNames,
  ]);
}
