import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { INSTALL_OCR } from "../../../domain/text-recognition.js";
import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { importUnbundled } from "../../../net/load-package.js";

export type TesseractLibrary = Pick<typeof import("tesseract.js"), "createWorker">;

const ENGLISH = "eng";
const LIBRARY = "tesseract.js";
const MODEL_SCOPE = "@tesseract.js-data";

/**
 * Loads the OCR library.
 * @throws `unsupported` with the command to install it.
 */
export async function loadTesseract(): Promise<TesseractLibrary> {
  try {
    const library = (await importUnbundled(LIBRARY)) as { readonly default: TesseractLibrary };
    return library.default;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    throw unavailableError(
      LIBRARY,
      isMissing ? "is not installed" : `cannot be loaded (${getErrorMessage(error)})`,
      error,
    );
  }
}

/** An installed OCR model. */
export interface OcrModel {
  readonly language: string;
  readonly directory: string;
}

/**
 * Finds the model of a language among the installed packages, or else the English model.
 * @throws `unsupported` if neither is installed.
 */
export function requireModelOrEnglish(language: string): OcrModel {
  const model = findModelOrEnglish(language);
  if (model === null) throw unavailableError(`${MODEL_SCOPE}/${ENGLISH}`, "is not installed");
  return model;
}

/** Returns the model of a language, or else the English one; `null` if neither is installed. */
export function findModelOrEnglish(language: string): OcrModel | null {
  return findModel(language) ?? findModel(ENGLISH);
}

/** Whether the OCR library is installed; it may still fail to start. */
export function hasTesseract(): boolean {
  try {
    createRequire(import.meta.url).resolve(LIBRARY);
    return true;
  } catch {
    return false;
  }
}

/** Returns the name of the package with a language's model. */
export function modelPackage(language: string): string {
  return `${MODEL_SCOPE}/${language}`;
}

function findModel(language: string): OcrModel | null {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${modelPackage(language)}/package.json`));
    for (const version of ["4.0.0_best_int", "4.0.0"]) {
      const directory = join(folder, version);
      if (existsSync(join(directory, `${language}.traineddata.gz`))) return { language, directory };
    }
    return null;
  } catch {
    return null;
  }
}

function unavailableError(name: string, problem: string, cause?: unknown): KnowledgeBaseError {
  const message = `Recognising text in images needs the package ${name}, which ${problem}.`;
  return new KnowledgeBaseError("unsupported", `${message} Install it with: ${INSTALL_OCR}`, { cause });
}
