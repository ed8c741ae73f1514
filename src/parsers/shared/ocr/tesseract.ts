import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { webAssembly } from "../../../util/web-assembly.js";
import type { CompiledTesseract, OcrModel } from "./load-tesseract.js";

/** A rectangle in pixels of the image. */
interface BoundingBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export interface RecognisedWord {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
  readonly bbox: BoundingBox;
}

export interface RecognisedLine {
  readonly words: readonly RecognisedWord[];
  readonly baseline: BoundingBox;
  readonly bbox: BoundingBox;
}

/** The part of Tesseract's JSON that is used. */
interface RecognisedPage {
  readonly blocks: readonly { readonly paragraphs: readonly { readonly lines: readonly RecognisedLine[] }[] }[] | null;
}

/** The part of `TessBaseAPI` that is used: https://github.com/tesseract-ocr/tesseract/blob/5.3.4/include/tesseract/baseapi.h */
interface TessBaseApi {
  /** @returns -1 if the model cannot be used */
  Init(directory: string | null, language: string, engineMode: number): number;
  SetVariable(name: string, value: string): boolean;
  /** Reads the image from `/input`. @returns 1 if it cannot be read */
  SetImageFile(exifOrientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetJSONText(): string;
  WriteImage(kind: number, path: string): void;
  /** Frees the image and what was recognised in it. */
  Clear(): void;
}

/** The part of `tesseract.js-core`, an Emscripten module without type declarations, that is used. */
interface TesseractCore {
  readonly FS: {
    writeFile(path: string, bytes: Uint8Array, options: { readonly canOwn: boolean }): void;
    readFile(path: string): Uint8Array<ArrayBuffer>;
    unlink(path: string): void;
  };
  readonly TessBaseAPI: new () => TessBaseApi;
}

type InstantiateCore = (options: {
  instantiateWasm(imports: object, onInstance: (instance: object, module: object) => void): object;
  TesseractProgress(percent: number): void;
  print(text: string): void;
  printErr(text: string): void;
}) => Promise<TesseractCore>;

const LSTM_ONLY = 1;
/** No EXIF orientation. Leptonica applies the orientation of a TIFF file itself. */
const UPRIGHT = 1;
const WHOLE_PAGE = "3";
const SPARSE_TEXT = "11";
/** Resolution assumed for all images, since most declare no resolution or a wrong one. */
const DOTS_PER_INCH = "200";
const COLOUR = 0;
/** The only path to which version 7 writes an image. */
const PNG_FILE = "/image.png";

/** An instance of the OCR library in this thread. Its memory grows to what its largest image has needed. */
export class Tesseract {
  readonly #core: TesseractCore;
  readonly #api: TessBaseApi;

  private constructor(core: TesseractCore, api: TessBaseApi) {
    this.#core = core;
    this.#api = api;
  }

  /** @throws Error if the model is damaged */
  static async start({ script, module }: CompiledTesseract, { language, path }: OcrModel): Promise<Tesseract> {
    const instantiate = createRequire(script)(script) as InstantiateCore;
    const core = await instantiate({
      instantiateWasm(imports, onInstance) {
        onInstance(new webAssembly!.Instance(module, imports), module);
        return {};
      },
      TesseractProgress() {},
      print() {},
      printErr() {},
    });
    const file = `${language}.traineddata`;
    core.FS.writeFile(file, gunzipSync(readFileSync(path)), { canOwn: true });
    const api = new core.TessBaseAPI();
    if (api.Init(null, language, LSTM_ONLY) === -1) throw new Error("initialization failed");
    core.FS.unlink(file);
    // Otherwise the library logs to the console.
    api.SetVariable("debug_file", "/dev/null");
    api.SetVariable("user_defined_dpi", DOTS_PER_INCH);
    return new Tesseract(core, api);
  }

  /**
   * Recognises the text of an image.
   * @param image A file in a format that Leptonica reads, such as PGM. Must not be used afterwards.
   * @param isSparse Whether to find text anywhere instead of in columns and lines.
   */
  recognise(image: Uint8Array, isSparse: boolean): RecognisedLine[] {
    return this.#withImage(image, () => {
      this.#api.SetVariable("tessedit_pageseg_mode", isSparse ? SPARSE_TEXT : WHOLE_PAGE);
      this.#api.Recognize(null);
      const { blocks } = JSON.parse(this.#api.GetJSONText()) as RecognisedPage;
      return (blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
    });
  }

  /** Converts an image to PNG. @param image Must not be used afterwards. */
  toPng(image: Uint8Array): Uint8Array<ArrayBuffer> {
    return this.#withImage(image, () => {
      this.#api.WriteImage(COLOUR, PNG_FILE);
      const png = this.#core.FS.readFile(PNG_FILE);
      this.#core.FS.unlink(PNG_FILE);
      return png;
    });
  }

  #withImage<Result>(image: Uint8Array, use: () => Result): Result {
    const { FS } = this.#core;
    FS.writeFile("/input", image, { canOwn: true });
    if (this.#api.SetImageFile(UPRIGHT, 0) === 1) throw new Error("The image cannot be read.");
    const result = use();
    FS.unlink("/input");
    this.#api.Clear();
    return result;
  }
}
