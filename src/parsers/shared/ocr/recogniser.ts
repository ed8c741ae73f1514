import { availableParallelism } from "node:os";
import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { RpcThread } from "../../../rpc/rpc-thread.js";
import { abortable } from "../../../util/abortable.js";
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

/** Idle time after which a thread is terminated. */
const IDLE_TIMEOUT_MS = 5000;
/** A thread takes a hundred megabytes: more threads would exceed the memory of a parse worker. */
const MAX_THREADS = 2;
/**
 * Limits the space for new JavaScript objects, which Node would let grow to 48 MB before it collects them. A thread has
 * few objects: its images are in WebAssembly's memory. In a parse process, the limit of that holds instead.
 */
const YOUNG_GENERATION_MB = 4;

/** Number of images that are recognised at a time. */
export const RECOGNITION_THREADS = Math.min(MAX_THREADS, availableParallelism());

/** Recognises text in a few worker threads, one image in each at a time; idle ones don't keep the process alive. */
class Recogniser {
  readonly #permits = new Semaphore(RECOGNITION_THREADS);
  readonly #idle: IdleThread[] = [];
  /** The library, which is compiled once: each thread would take 40 MB for its own code. It is kept, as it takes 7 MB. */
  #compiling: Promise<CompiledTesseract> | null = null;

  /** @throws `unsupported` if the OCR packages are not installed or the model is damaged. */
  recognise(raster: Raster, options: RecognitionOptions): Promise<TextLine[]> {
    return this.#run(options, (thread) => {
      const pgm = toPgm(raster);
      return thread.call("recognise", { pgm, isSparse: options.isSparse === true }, [pgm.buffer]);
    });
  }

  /**
   * Converts an image to PNG, for formats that only the OCR library reads.
   * @param bytes Must not be used afterwards.
   */
  toPng(bytes: Uint8Array<ArrayBuffer>, options: RecognitionOptions): Promise<Uint8Array> {
    return this.#run(options, (thread) => thread.call("toPng", bytes, [bytes.buffer]));
  }

  #run<Result>(options: RecognitionOptions, task: (thread: RecognitionThread) => Promise<Result>): Promise<Result> {
    return this.#permits.run(() => this.#runInThread(options, task), options);
  }

  /** Runs a task in a thread, which is terminated as soon as the task fails or the signal is aborted. */
  async #runInThread<Result>(
    { language, signal }: RecognitionOptions,
    task: (thread: RecognitionThread) => Promise<Result>,
  ): Promise<Result> {
    const thread = this.#takeIdle(language) ?? (await this.#start(language, signal));
    const stop = () => void thread.terminate(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const result = await task(thread);
      signal?.throwIfAborted();
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

  async #start(language: string, signal: AbortSignal | undefined): Promise<RecognitionThread> {
    signal?.throwIfAborted();
    const library = await (signal === undefined ? this.#compile() : abortable(this.#compile(), signal));
    const data: RecognitionData = { library, model: requireModelOrEnglish(language) };
    const thread: RecognitionThread = new RpcThread<RecognitionOperations>({
      entry: new URL("./thread.js", import.meta.url),
      name: "lorebase text recognition",
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      toError: threadLostError,
      onExit: () => this.#forget(thread),
    });
    return thread;
  }

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
    for (const idle of [...this.#idle]) if (idle.language !== language) this.#terminate(idle.thread);
    const idle = this.#idle.at(-1);
    if (idle === undefined) return null;
    this.#forget(idle.thread);
    return idle.thread;
  }

  #keepIdle(language: string, thread: RecognitionThread): void {
    const timer = setTimeout(() => this.#terminate(thread), IDLE_TIMEOUT_MS).unref();
    this.#idle.push({ language, thread, timer });
  }

  #terminate(thread: RecognitionThread): void {
    this.#forget(thread);
    void thread.terminate(new KnowledgeBaseError("closed", "The idle recognition thread has been ended."));
  }

  /** Removes a thread from the idle ones, if it is one of them. */
  #forget(thread: RecognitionThread): void {
    const idle = this.#idle.find((idle) => idle.thread === thread);
    if (idle === undefined) return;
    clearTimeout(idle.timer);
    this.#idle.splice(this.#idle.indexOf(idle), 1);
  }
}

function threadLostError(crash: unknown): KnowledgeBaseError {
  const reason = crash === undefined ? "it ended without an error" : getErrorMessage(crash);
  return new KnowledgeBaseError("internal", `The thread of text recognition was lost: ${reason}.`, { cause: crash });
}

/** The only instance in a process. */
export const recogniser = new Recogniser();
