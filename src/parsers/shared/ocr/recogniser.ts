import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import type { Worker as Thread } from "node:worker_threads";
import type Tesseract from "tesseract.js";
import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { Semaphore } from "../../../util/semaphore.js";
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
  /** Rejects with `unsupported` if the model can't be loaded. */
  readonly worker: Promise<Tesseract.Worker>;
  readonly thread: Thread;
}

/** Idle time after which a thread, which holds a hundred megabytes, is terminated. */
const IDLE_TIMEOUT_MS = 5000;
/** A thread takes 100 MB, and 50 to 90 MB more for a page: more threads would exceed the memory of a parse worker. */
const MAX_THREADS = 2;
const LSTM_ONLY = 1;
const WHOLE_PAGE = "3";
const SPARSE_TEXT = "11";
/** Resolution assumed for all images, since most declare no resolution or a wrong one. */
const DOTS_PER_INCH = "200";

/** Number of images that are recognised at a time. */
export const RECOGNITION_THREADS = Math.min(MAX_THREADS, availableParallelism());

interface IdleWorker extends ActiveWorker {
  readonly timer: NodeJS.Timeout;
}

/** Recognises text in a few worker threads, one image in each at a time; idle ones don't keep the process alive. */
class Recogniser {
  readonly #threads = new Semaphore(RECOGNITION_THREADS);
  readonly #idle: IdleWorker[] = [];

  /** @throws `unsupported` if the OCR packages are not installed or the model is damaged. */
  recognise(raster: Raster, options: RecognitionOptions): Promise<TextLine[]> {
    return this.#run(options, async (worker) => {
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
    return this.#run(options, async (worker) => {
      const { data } = await worker.recognize(Buffer.from(bytes), {}, { text: false, imageColor: true });
      return Buffer.from(data.imageColor?.split(",")[1] ?? "", "base64");
    });
  }

  #run<Result>(options: RecognitionOptions, task: (worker: Tesseract.Worker) => Promise<Result>): Promise<Result> {
    return this.#threads.run(() => this.#runInThread(options, task), options);
  }

  /** Runs a task in a thread, which is terminated as soon as the task fails or the signal is aborted. */
  async #runInThread<Result>(
    { language, signal }: RecognitionOptions,
    task: (worker: Tesseract.Worker) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const starting = this.#takeIdle(language) ?? startWorker(language);
    let rejectFailure: (reason: unknown) => void = () => {};
    const failure = new Promise<never>((_, reject) => {
      rejectFailure = reject;
    });
    failure.catch(() => {});
    const stop = () => rejectFailure(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const active = await Promise.race([starting, failure]);
      active.thread.once("error", rejectFailure);
      const result = await Promise.race([active.worker.then(task), failure]);
      active.thread.off("error", rejectFailure);
      this.#keepIdle(active);
      return result;
    } catch (error) {
      // The library's state after a failure is unknown, and its own `terminate` causes unhandled rejections.
      starting.then(({ thread }) => terminate(thread)).catch(() => {});
      throw error instanceof Error ? error : new Error(getErrorMessage(error));
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Takes an idle worker of a language; terminates those of other languages, whose memory the next one needs. */
  #takeIdle(language: string): Promise<ActiveWorker> | null {
    for (const idle of [...this.#idle]) if (idle.language !== language) this.#terminate(idle);
    const idle = this.#idle.pop();
    if (idle === undefined) return null;
    clearTimeout(idle.timer);
    idle.thread.ref();
    return Promise.resolve(idle);
  }

  #keepIdle({ language, worker, thread }: ActiveWorker): void {
    thread.unref();
    const timer = setTimeout(() => this.#terminate(idle), IDLE_TIMEOUT_MS).unref();
    const idle: IdleWorker = { language, worker, thread, timer };
    this.#idle.push(idle);
  }

  #terminate(idle: IdleWorker): void {
    clearTimeout(idle.timer);
    this.#idle.splice(this.#idle.indexOf(idle), 1);
    terminate(idle.thread);
  }
}

/** The only instance in a process. */
export const recogniser = new Recogniser();

/** Starts a thread and returns it while it still loads the model. */
async function startWorker(language: string): Promise<ActiveWorker> {
  const { createWorker } = await loadTesseract();
  const model: OcrModel = requireModelOrEnglish(language);
  // Node reports a new thread after the code that has started it: in a new turn no report of an earlier one is due.
  await setImmediate();
  let thread: Thread | undefined;
  const setThread = (started: Thread) => {
    thread ??= started;
  };
  process.on("worker", setThread);
  const worker = new Promise<Tesseract.Worker>((resolve, reject) => {
    createWorker(model.language, LSTM_ONLY, {
      langPath: model.directory,
      gzip: true,
      cacheMethod: "none",
      errorHandler(error) {
        // The library throws where nobody can catch it if a message about the same job follows.
        thread?.removeAllListeners("message");
        reject(error);
      },
    }).then(resolve, reject);
  }).catch((error: unknown) => {
    const problem = `Text recognition could not be started with the model "${model.language}"`;
    throw new KnowledgeBaseError("unsupported", `${problem} (${getErrorMessage(error)}).`, { cause: error });
  });
  worker.catch(() => {});
  await new Promise<void>((resolve) => process.nextTick(resolve));
  process.off("worker", setThread);
  thread ??= ((await worker) as unknown as { readonly worker: Thread }).worker;
  thread.on("error", () => {});
  return { language, worker, thread };
}

function terminate(thread: Thread): void {
  thread.removeAllListeners("message");
  void thread.terminate();
}
