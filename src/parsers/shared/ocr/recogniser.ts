import { availableParallelism } from "node:os";
import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { RpcThread } from "../../../rpc/rpc-thread.js";
import { Semaphore } from "../../../util/semaphore.js";
import { type CompiledTesseract, compileTesseract, requireModelOrEnglish } from "./load-tesseract.js";
import { type Raster, toPgm } from "./raster.js";
import type { TextLine } from "./text-lines.js";
import type { RecognitionData, RecognitionOperations } from "./thread.js";

export interface RecognitionOptions {
  /** Name of the language's model. */
  readonly language: string;
  /** Whether to find text anywhere instead of in columns and lines. */
  readonly isSparse?: boolean;
  readonly signal?: AbortSignal | undefined;
}

type RecognitionThread = RpcThread<RecognitionOperations>;

interface IdleThread {
  readonly language: string;
  readonly thread: RecognitionThread;
  readonly timer: NodeJS.Timeout;
}

/** Idle time after which a thread, which holds a hundred megabytes, is terminated. */
const IDLE_TIMEOUT_MS = 5000;
/** A thread takes 60 to 100 MB: more threads would exceed the memory of a parse worker. */
const MAX_THREADS = 2;
/**
 * Limits the space for new JavaScript objects, which Node would let grow to 48 MB before it collects them. A thread has
 * few objects: its images are in WebAssembly's memory.
 */
const YOUNG_GENERATION_MB = 4;

/** Number of images that are recognised at a time. */
export const RECOGNITION_THREADS = Math.min(MAX_THREADS, availableParallelism());

/** Recognises text in a few worker threads, one image in each at a time; idle ones don't keep the process alive. */
class Recogniser {
  readonly #permits = new Semaphore(RECOGNITION_THREADS);
  readonly #idle: IdleThread[] = [];
  #compiling: Promise<CompiledTesseract> | null = null;

  /** @throws `unsupported` if the OCR packages are not installed or the model is damaged. */
  recognise(raster: Raster, options: RecognitionOptions): Promise<TextLine[]> {
    return this.#run(options, (thread) => {
      const pgm = toPgm(raster);
      return thread.call("recognise", { pgm, isSparse: options.isSparse === true }, [pgm.buffer]);
    });
  }

  /** Converts an image to PNG, for formats that only the OCR library reads. */
  toPng(bytes: Uint8Array, options: RecognitionOptions): Promise<Uint8Array> {
    return this.#run(options, (thread) => thread.call("toPng", bytes));
  }

  #run<Result>(options: RecognitionOptions, task: (thread: RecognitionThread) => Promise<Result>): Promise<Result> {
    return this.#permits.run(() => this.#runInThread(options, task), options);
  }

  /** Runs a task in a thread, which is terminated as soon as the task fails or the signal is aborted. */
  async #runInThread<Result>(
    { language, signal }: RecognitionOptions,
    task: (thread: RecognitionThread) => Promise<Result>,
  ): Promise<Result> {
    const thread = this.#takeIdle(language) ?? (await this.#start(language));
    const stop = () => void thread.terminate(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const result = await task(thread);
      this.#keepIdle(language, thread);
      return result;
    } catch (error) {
      // The library's state after a failure is unknown.
      void thread.terminate(error);
      throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  async #start(language: string): Promise<RecognitionThread> {
    const data: RecognitionData = { library: await this.#compile(), model: requireModelOrEnglish(language) };
    return new RpcThread<RecognitionOperations>({
      entry: new URL("./thread.js", import.meta.url),
      name: "lorebase text recognition",
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      toError: (cause) =>
        new KnowledgeBaseError("internal", `Text recognition ended (${getErrorMessage(cause)}).`, { cause }),
    });
  }

  /** Compiles the library once for all threads: each of them would take 40 MB for its own code. */
  async #compile(): Promise<CompiledTesseract> {
    this.#compiling ??= compileTesseract();
    try {
      return await this.#compiling;
    } catch (error) {
      this.#compiling = null;
      throw error;
    }
  }

  /** Takes an idle thread of a language; terminates those of other languages, whose memory the next one needs. */
  #takeIdle(language: string): RecognitionThread | null {
    for (const idle of [...this.#idle]) if (idle.language !== language) this.#terminate(idle);
    const idle = this.#idle.pop();
    if (idle === undefined) return null;
    clearTimeout(idle.timer);
    return idle.thread;
  }

  #keepIdle(language: string, thread: RecognitionThread): void {
    const timer = setTimeout(() => this.#terminate(idle), IDLE_TIMEOUT_MS).unref();
    const idle: IdleThread = { language, thread, timer };
    this.#idle.push(idle);
  }

  #terminate(idle: IdleThread): void {
    clearTimeout(idle.timer);
    this.#idle.splice(this.#idle.indexOf(idle), 1);
    void idle.thread.terminate(new KnowledgeBaseError("closed", "The idle recognition thread has been ended."));
  }
}

/** The only instance in a process. */
export const recogniser = new Recogniser();
