import type { Worker as Thread } from "node:worker_threads";
import type Tesseract from "tesseract.js";
import { KnowledgeBaseError, messageOf } from "../../../errors.js";
import { findModel, type LanguageModel, loadTesseract } from "./load-tesseract.js";
import { type Raster, toPgm } from "./raster.js";
import { type TextLine, textLines } from "./text-lines.js";

export interface RecognitionOptions {
  /** Name of the language's model. */
  readonly language: string;
  /** Looks for pieces of text anywhere rather than for a page's columns and lines. */
  readonly isSparse?: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Running {
  readonly language: string;
  readonly worker: Tesseract.Worker;
  readonly thread: Thread;
}

/** After so long without work the thread ends: it holds some hundred megabytes. */
const IDLE_MS = 5000;
const LSTM_ONLY = 1;
const PAGE = "3";
const SPARSE = "11";
/** What the sizes of pages are judged by; pictures rarely say it, and most of those that do are wrong. */
const DOTS_PER_INCH = "200";

/** Recognises text in one thread of its own, picture by picture; the thread keeps no process alive. */
class Recogniser {
  #tail: Promise<unknown> = Promise.resolve();
  #running: Running | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** @throws `unsupported` where the packages for it are not installed. */
  recognise(raster: Raster, options: RecognitionOptions): Promise<TextLine[]> {
    return this.#queue(options.language, options.signal, async ({ worker }) => {
      await worker.setParameters({
        tessedit_pageseg_mode: (options.isSparse === true ? SPARSE : PAGE) as Tesseract.PSM,
        user_defined_dpi: DOTS_PER_INCH,
        // It would print what it finds odd.
        debug_file: "/dev/null",
      });
      const { data } = await worker.recognize(Buffer.from(toPgm(raster).buffer), {}, { text: false, blocks: true });
      return textLines(data.blocks);
    });
  }

  /** A picture in a format that only this library reads, as PNG. */
  toPng(bytes: Uint8Array, { language, signal }: RecognitionOptions): Promise<Uint8Array> {
    return this.#queue(language, signal, async ({ worker }) => {
      const { data } = await worker.recognize(Buffer.from(bytes), {}, { text: false, imageColor: true });
      return Buffer.from(data.imageColor?.split(",")[1] ?? "", "base64");
    });
  }

  #queue<Result>(
    language: string,
    signal: AbortSignal | undefined,
    work: (running: Running) => Promise<Result>,
  ): Promise<Result> {
    const result = this.#tail.then(() => this.#work(language, signal, work));
    this.#tail = result.catch(() => {});
    return result;
  }

  async #work<Result>(
    language: string,
    signal: AbortSignal | undefined,
    work: (running: Running) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#idle) clearTimeout(this.#idle);
    if (this.#running !== null && this.#running.language !== language) this.#end();
    this.#running ??= await start(language);
    const { thread } = this.#running;
    thread.ref();
    let breakOff: (reason: unknown) => void = () => {};
    const broken = new Promise<never>((_, reject) => {
      breakOff = reject;
    });
    broken.catch(() => {});
    const stop = () => breakOff(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    thread.once("error", breakOff);
    try {
      return await Promise.race([work(this.#running), broken]);
    } catch (error) {
      // What a failure leaves behind in the library is not known.
      this.#end();
      throw error instanceof Error ? error : new Error(messageOf(error));
    } finally {
      signal?.removeEventListener("abort", stop);
      thread.off("error", breakOff);
      thread.unref();
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #end(): void {
    // The library's own way of ending makes calls that are under way fail where nobody hears it.
    void this.#running?.thread.terminate();
    this.#running = null;
  }
}

/** The one of this process. */
export const recogniser = new Recogniser();

async function start(wanted: string): Promise<Running> {
  const { createWorker } = await loadTesseract();
  const model: LanguageModel = findModel(wanted);
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
    return { language: wanted, worker, thread };
  } catch (error) {
    throw new KnowledgeBaseError("unsupported", `Text recognition does not start here: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
