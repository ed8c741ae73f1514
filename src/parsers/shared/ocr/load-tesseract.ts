import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { INSTALL_OCR } from "../../../domain/text-recognition.js";
import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { webAssembly } from "../../../util/web-assembly.js";

const ENGLISH = "eng";
const LIBRARY = "tesseract.js-core";
const MODEL_SCOPE = "@tesseract.js-data";
/**
 * Builds of the OCR library with LSTM models only, the fastest first. Node 20 doesn't support relaxed SIMD, and some
 * processors have no SIMD.
 */
const BUILDS = ["tesseract-core-relaxedsimd-lstm", "tesseract-core-simd-lstm", "tesseract-core-lstm"];

/** The OCR library, compiled once for all threads. */
export interface CompiledTesseract {
  /** Path of the CommonJS module that instantiates the library. */
  readonly script: string;
  /** A `WebAssembly.Module`. */
  readonly module: object;
}

/**
 * Compiles the OCR library.
 * @throws `unsupported` with the command to install it.
 */
export async function compileTesseract(): Promise<CompiledTesseract> {
  const folder = requireTesseract();
  let failure: unknown;
  for (const build of BUILDS) {
    try {
      const module = await webAssembly!.compile(await readFile(join(folder, `${build}.wasm`)));
      return { script: join(folder, `${build}.js`), module };
    } catch (error) {
      failure = error;
    }
  }
  throw unavailableError(LIBRARY, `cannot be loaded (${getErrorMessage(failure)})`, failure);
}

/**
 * Returns the folder of the OCR library.
 * @throws `unsupported` with the command to install it.
 */
export function requireTesseract(): string {
  const folder = findPackage(LIBRARY);
  if (folder === null) throw unavailableError(LIBRARY, "is not installed");
  return folder;
}

/** Whether the OCR library is installed; it may still fail to start. */
export function hasTesseract(): boolean {
  return findPackage(LIBRARY) !== null;
}

/** An installed OCR model. */
export interface OcrModel {
  readonly language: string;
  /** Path of the compressed model. */
  readonly path: string;
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

/** Returns the name of the package with a language's model. */
export function modelPackage(language: string): string {
  return `${MODEL_SCOPE}/${language}`;
}

function findModel(language: string): OcrModel | null {
  const folder = findPackage(modelPackage(language));
  if (folder === null) return null;
  const paths = ["4.0.0_best_int", "4.0.0"].map((version) => join(folder, version, `${language}.traineddata.gz`));
  const path = paths.find((path) => existsSync(path));
  return path === undefined ? null : { language, path };
}

/** Returns the folder of an installed package. */
function findPackage(name: string): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

function unavailableError(name: string, problem: string, cause?: unknown): KnowledgeBaseError {
  const message = `Recognising text in images needs the package ${name}, which ${problem}.`;
  return new KnowledgeBaseError("unsupported", `${message} Install it with: ${INSTALL_OCR}`, { cause });
}
