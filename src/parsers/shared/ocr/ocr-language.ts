import { recognitionLanguage } from "./language.js";
import { findModel, hasTesseract, loadTesseract, modelFor, modelPackage } from "./load-tesseract.js";

/**
 * The model to recognise a language with, or that of English with a warning; loads the library.
 * @throws `unsupported` where text recognition is not installed.
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

/** The language whose model would be used here; null where text recognition is not installed. Loads nothing. */
export function installedModel(languageCode: string | undefined): string | null {
  return hasTesseract() ? (modelFor(wantedLanguage(languageCode) ?? "eng")?.language ?? null) : null;
}

function wantedLanguage(languageCode: string | undefined): string | null {
  return languageCode === undefined ? "eng" : recognitionLanguage(languageCode);
}
