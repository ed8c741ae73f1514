import { Worker } from "node:worker_threads";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { SourceFile } from "../interfaces/parser.js";
import type { PreparedDocument, Preparer } from "../interfaces/preparer.js";
import type { FromThread, ToThread } from "./protocol.js";

type PrepareOptions = Parameters<Preparer["prepare"]>[1];

/** One thread and the document that it is at. A document that takes too long or is no longer wanted ends with its thread. */
export class PreparationThread {
  #worker: Worker | null = null;

  async prepare(file: SourceFile, options: PrepareOptions, timeoutMs: number): Promise<PreparedDocument> {
    options.signal?.throwIfAborted();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    try {
      const document = await this.#converse(worker, file, options, timeoutMs);
      return options.chunk.maxTokens === null ? counted(document, options) : document;
    } finally {
      worker.unref();
    }
  }

  async close(): Promise<void> {
    this.#worker?.ref();
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./thread.js", import.meta.url), {
      name: "lorebase preparation",
      env: {},
      execArgv: [],
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }

  #converse(worker: Worker, file: SourceFile, options: PrepareOptions, timeoutMs: number): Promise<PreparedDocument> {
    const { countTokens, ...chunk } = options.chunk;
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        options.signal?.removeEventListener("abort", abort);
        worker.off("message", receive).off("error", fail).off("exit", exit);
        settle();
      };
      const end = (error: unknown) => {
        this.#worker = null;
        void worker.terminate();
        finish(() => reject(error));
      };
      const abort = () => end(options.signal?.reason);
      const fail = (error: unknown) => end(lost(messageOf(error), error));
      const exit = () => end(lost("it ended without an error"));
      let document: PreparedDocument | null = null;
      const collect = (chunks: PreparedDocument["chunks"], more: boolean) => {
        for (const chunk of chunks) collected.push(chunk);
        if (more) post(worker, { kind: "more" });
        else finish(() => resolve({ ...document!, chunks: collected }));
      };
      const collected: ChunkDraft[] = [];
      /** Why tokens could not be counted, as it was thrown: whether that may pass is lost on the way through the thread. */
      let uncountable: unknown;
      const receive = (message: FromThread) => {
        switch (message.kind) {
          case "prepared":
            document = message.document;
            return collect(document.chunks, message.more);
          case "chunks":
            return collect(message.chunks, message.more);
          case "failed":
            return finish(() => reject(uncountable ?? new KnowledgeBaseError(message.code, message.message, message)));
          case "count":
            countTokens(message.texts).then(
              (counts) => post(worker, { kind: "counted", counts }),
              (error) => {
                uncountable = error;
                post(worker, { kind: "uncountable", message: messageOf(error) });
              },
            );
        }
      };
      const timer = setTimeout(() => {
        const seconds = timeoutMs / 1000;
        end(new KnowledgeBaseError("limit_exceeded", `Parsing took longer than ${seconds} seconds and was stopped.`));
      }, timeoutMs);
      options.signal?.addEventListener("abort", abort, { once: true });
      worker.on("message", receive).on("error", fail).on("exit", exit);
      // The bytes are moved, not copied: nobody reads them here any more.
      post(worker, { kind: "prepare", file, parse: options.parse, chunk }, [file.bytes.buffer as ArrayBuffer]);
    });
  }
}

async function counted(document: PreparedDocument, { chunk }: PrepareOptions): Promise<PreparedDocument> {
  const counts = await chunk.countTokens(document.chunks.map(({ indexText }) => indexText));
  return { ...document, chunks: document.chunks.map((draft, index) => ({ ...draft, tokens: counts[index]! })) };
}

function post(worker: Worker, message: ToThread, moved: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, moved);
}

function lost(reason: string, cause?: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("internal", `The thread that parses was lost: ${reason}.`, { cause });
}
