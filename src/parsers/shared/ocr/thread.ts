import { workerData } from "node:worker_threads";
import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { serve } from "../../../rpc/serve.js";
import type { CompiledTesseract, OcrModel } from "./load-tesseract.js";
import { Tesseract } from "./tesseract.js";
import { type TextLine, textLines } from "./text-lines.js";

export interface RecognitionData {
  readonly library: CompiledTesseract;
  readonly model: OcrModel;
}

/** The operations of a recognition thread. They reject with `unsupported` if the model can't be loaded. */
export interface RecognitionOperations {
  /** Recognises the text of a PGM file. */
  recognise(input: { readonly pgm: Uint8Array; readonly isSparse: boolean }): Promise<TextLine[]>;
  /** Converts an image to PNG. */
  toPng(image: Uint8Array): Promise<Uint8Array>;
}

const { library, model } = workerData as RecognitionData;
const starting = Tesseract.start(library, model).catch((error: unknown) => {
  const problem = `Text recognition could not be started with the model "${model.language}"`;
  throw new KnowledgeBaseError("unsupported", `${problem} (${getErrorMessage(error)}).`, { cause: error });
});
// Each operation reports the failure.
starting.catch(() => {});

serve<RecognitionOperations>({
  recognise: ({ pgm, isSparse }) => run((tesseract) => textLines(tesseract.recognise(pgm, isSparse))),
  toPng: (image) => run((tesseract) => tesseract.toPng(image)),
});

async function run<Result>(task: (tesseract: Tesseract) => Result): Promise<Result> {
  const tesseract = await starting;
  try {
    return task(tesseract);
  } catch (error) {
    // The library throws objects and numbers of Emscripten, which tell a user nothing.
    throw new KnowledgeBaseError("internal", "Text recognition failed on the image.", { cause: error });
  }
}
