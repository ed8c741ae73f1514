import { recognitionLanguage } from "./language.js";
import { findModel, hasTesseract, loadTesseract, modelFor, modelPackage } from "./load-tesseract.js";

/**
 * The model for a language, or the English one with a warning; loads the library.
 * @throws `unsupported` if OCR is not installed.
 */
export async function ocrLanguage(languageCode: string | undefined): Promise<{ language: string; warnings: string[] }> {
  await loadTesseract();
  const wanted = wantedLanguage(languageCode);
  const { language } = findModel(wanted ?? "eng");
  if (language === wanted) return { language, warnings: [] };
  const cure = wanted === null ? "" : ` Install its model with: npm install ${modelPackage(wanted)}`;
  const cause = wanted === null ? "is no language that can be recognised" : "is not installed";
  return {
    language,
    warnings: [`Text was recognised as English, since the language "${languageCode}" ${cause}.${cure}`],
  };
}

/** The language of the model that would be used; `null` if OCR is not installed. Loads nothing. */
export function installedModel(languageCode: string | undefined): string | null {
  return hasTesseract() ? (modelFor(wantedLanguage(languageCode) ?? "eng")?.language ?? null) : null;
}

function wantedLanguage(languageCode: string | undefined): string | null {
  return languageCode === undefined ? "eng" : recognitionLanguage(languageCode);
}
