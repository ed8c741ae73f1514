import type { Worker as Thread } from "node:worker_threads";
import type Tesseract from "tesseract.js";
import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { loadTesseract, type OcrModel, requireModelOrEnglish } from "./load-tesseract.js";
import { type Raster, toPgm } from "./raster.js";
import { type TextLine, textLines } from "./text-lines.js";

export interface RecognitionOptions {
  /** Name of the language's model. */
  readonly language: string;
  /** Whether to find text anywhere instead of in columns and lines. */
  readonly isSparse?: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface ActiveWorker {
  readonly language: string;
  readonly worker: Tesseract.Worker;
  readonly thread: Thread;
}

/** Idle time after which the worker thread, which holds hundreds of megabytes, is terminated. */
const IDLE_TIMEOUT_MS = 5000;
const LSTM_ONLY = 1;
const WHOLE_PAGE = "3";
const SPARSE_TEXT = "11";
/** Resolution assumed for all images, since most declare no resolution or a wrong one. */
const DOTS_PER_INCH = "200";

/** Recognises text in one worker thread, image by image; the thread doesn't keep the process alive. */
class Recogniser {
  #lastTask: Promise<unknown> = Promise.resolve();
  #active: ActiveWorker | null = null;
  #idleTimer: NodeJS.Timeout | null = null;

  /** @throws `unsupported` if the OCR packages are not installed. */
  recognise(raster: Raster, options: RecognitionOptions): Promise<TextLine[]> {
    return this.#queue(options, async ({ worker }) => {
      await worker.setParameters({
        tessedit_pageseg_mode: (options.isSparse === true ? SPARSE_TEXT : WHOLE_PAGE) as Tesseract.PSM,
        user_defined_dpi: DOTS_PER_INCH,
        // Otherwise the library logs to the console.
        debug_file: "/dev/null",
      });
      const { data } = await worker.recognize(Buffer.from(toPgm(raster).buffer), {}, { text: false, blocks: true });
      return textLines(data.blocks);
    });
  }

  /** Converts an image to PNG, for formats that only the OCR library reads. */
  toPng(bytes: Uint8Array, options: RecognitionOptions): Promise<Uint8Array> {
    return this.#queue(options, async ({ worker }) => {
      const { data } = await worker.recognize(Buffer.from(bytes), {}, { text: false, imageColor: true });
      return Buffer.from(data.imageColor?.split(",")[1] ?? "", "base64");
    });
  }

  #queue<Result>(options: RecognitionOptions, task: (active: ActiveWorker) => Promise<Result>): Promise<Result> {
    const result = this.#lastTask.then(() => this.#run(options, task));
    this.#lastTask = result.catch(() => {});
    return result;
  }

  async #run<Result>(
    { language, signal }: RecognitionOptions,
    task: (active: ActiveWorker) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    if (this.#active !== null && this.#active.language !== language) this.#terminate();
    this.#active ??= await startWorker(language);
    const { thread } = this.#active;
    thread.ref();
    let rejectFailure: (reason: unknown) => void = () => {};
    const failure = new Promise<never>((_, reject) => {
      rejectFailure = reject;
    });
    failure.catch(() => {});
    const stop = () => rejectFailure(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    thread.once("error", rejectFailure);
    try {
      return await Promise.race([task(this.#active), failure]);
    } catch (error) {
      // The library's state after a failure is unknown.
      this.#terminate();
      throw error instanceof Error ? error : new Error(getErrorMessage(error));
    } finally {
      signal?.removeEventListener("abort", stop);
      thread.off("error", rejectFailure);
      thread.unref();
      this.#idleTimer = setTimeout(() => this.#terminate(), IDLE_TIMEOUT_MS).unref();
    }
  }

  #terminate(): void {
    // The library's `terminate` causes unhandled rejections of pending calls.
    void this.#active?.thread.terminate();
    this.#active = null;
  }
}

/** The only instance in a process. */
export const recogniser = new Recogniser();

async function startWorker(language: string): Promise<ActiveWorker> {
  const { createWorker } = await loadTesseract();
  const model: OcrModel = requireModelOrEnglish(language);
  try {
    const worker = await new Promise<Tesseract.Worker>((resolve, reject) => {
      createWorker(model.language, LSTM_ONLY, {
        langPath: model.directory,
        gzip: true,
        cacheMethod: "none",
        errorHandler: reject,
      }).then(resolve, reject);
    });
    const { worker: thread } = worker as unknown as { readonly worker: Thread };
    thread.on("error", () => {});
    return { language, worker, thread };
  } catch (error) {
    throw new KnowledgeBaseError("unsupported", `Text recognition could not be started: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}
