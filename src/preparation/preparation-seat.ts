import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { AskModel } from "../interfaces/language-model.js";
import type { SourceFile } from "../interfaces/parser.js";
import type { PreparedChunk, PreparedDocument, PrepareOptions } from "../interfaces/preparer.js";
import { Countdown } from "./countdown.js";
import { type FromWorkplace, failureOf } from "./protocol.js";
import type { OpenWorkplace, Workplace } from "./workplace.js";

/** Whoever waits for what the workplace has to say. */
interface Conversation {
  hear(message: FromWorkplace): void;
  lost(error: KnowledgeBaseError): void;
}

export interface SeatOptions {
  /** Documents after which the workplace is replaced: what parsers keep does not add up for ever. @default never */
  readonly lifetime?: number;
  /** What asks the language model. @default there is none */
  readonly ask?: AskModel | null;
}

/** One workplace and the document that it is at. A document that takes too long or is no longer wanted ends with its workplace. */
export class PreparationSeat {
  readonly #open: OpenWorkplace;
  readonly #lifetime: number;
  readonly #ask: AskModel | null;
  #workplace: Workplace | null = null;
  #conversation: Conversation | null = null;
  #documents = 0;

  constructor(open: OpenWorkplace, { lifetime = Number.POSITIVE_INFINITY, ask = null }: SeatOptions = {}) {
    this.#open = open;
    this.#lifetime = lifetime;
    this.#ask = ask;
  }

  async prepare(file: SourceFile, options: PrepareOptions, timeoutMs: number): Promise<PreparedDocument> {
    options.signal?.throwIfAborted();
    this.#workplace ??= this.#start();
    const workplace = this.#workplace;
    workplace.hold();
    try {
      return await this.#converse(workplace, file, options, timeoutMs);
    } finally {
      // Whoever ended it waits for its end.
      if (this.#workplace === workplace) workplace.release();
      if (++this.#documents >= this.#lifetime) this.#leave();
    }
  }

  async close(): Promise<void> {
    const workplace = this.#workplace;
    this.#workplace = null;
    this.#conversation?.lost(new KnowledgeBaseError("closed", "The knowledge base is closed."));
    await workplace?.end();
  }

  #start(): Workplace {
    this.#documents = 0;
    const workplace = this.#open({
      onMessage: (message) => {
        if (this.#workplace === workplace) this.#conversation?.hear(message);
      },
      onLost: (reason, cause) => {
        if (this.#workplace !== workplace) return;
        this.#workplace = null;
        this.#conversation?.lost(lost(reason, cause));
      },
    });
    return workplace;
  }

  /** Ends the workplace; nothing that it still says is heard. */
  #leave(): void {
    const workplace = this.#workplace;
    this.#workplace = null;
    void workplace?.end();
  }

  #converse(
    workplace: Workplace,
    file: SourceFile,
    options: PrepareOptions,
    timeoutMs: number,
  ): Promise<PreparedDocument> {
    const { countTokens, ...chunk } = options.chunk;
    return new Promise((resolve, reject) => {
      const asking = new AbortController();
      const finish = (settle: () => void) => {
        countdown.halt();
        asking.abort();
        options.signal?.removeEventListener("abort", abort);
        this.#conversation = null;
        settle();
      };
      const end = (error: unknown) => {
        this.#leave();
        finish(() => reject(error));
      };
      const abort = () => end(options.signal?.reason);
      let document: PreparedDocument | null = null;
      const chunks: PreparedChunk[] = [];
      const text: string[] = [];
      const collect = (part: Pick<PreparedDocument, "chunks" | "text">, more: boolean) => {
        for (const chunk of part.chunks) chunks.push(chunk);
        for (const piece of part.text) text.push(piece);
        if (more) workplace.post({ kind: "more" });
        else finish(() => resolve({ ...document!, chunks, text }));
      };
      /** Why a model gave no tokens or no answer, as it was thrown: when to ask again is lost on the way through the workplace. */
      let modelError: unknown;
      let questions = 0;
      const answer = async ({ id, messages, settings }: FromWorkplace & { kind: "ask" }) => {
        // The time of a model is no time of parsing.
        if (questions++ === 0) countdown.halt();
        try {
          const answer = await this.#ask!(messages, { ...settings, signal: asking.signal });
          if (!asking.signal.aborted) workplace.post({ kind: "answered", id, answer });
        } catch (error) {
          if (asking.signal.aborted) return;
          const failure = failureOf(error);
          if (failure.retryable) modelError = error;
          workplace.post({ kind: "unanswered", id, ...failure });
        } finally {
          if (--questions === 0 && !asking.signal.aborted) countdown.start();
        }
      };
      const hear = (message: FromWorkplace) => {
        switch (message.kind) {
          case "prepared":
            document = message.document;
            return collect(document, message.more);
          case "continued":
            return collect(message, message.more);
          case "failed":
            return finish(() => reject(modelError ?? new KnowledgeBaseError(message.code, message.message, message)));
          case "count":
            countTokens(message.texts).then(
              (counts) => workplace.post({ kind: "counted", counts }),
              (error) => {
                modelError = error;
                workplace.post({ kind: "uncountable", message: messageOf(error) });
              },
            );
            return;
          case "ask":
            void answer(message);
        }
      };
      const countdown = new Countdown(timeoutMs, () => {
        const seconds = timeoutMs / 1000;
        end(new KnowledgeBaseError("limit_exceeded", `Parsing took longer than ${seconds} seconds and was stopped.`));
      });
      options.signal?.addEventListener("abort", abort, { once: true });
      this.#conversation = { hear, lost: (error) => finish(() => reject(error)) };
      const { parse, mainContent = false, countAll = false } = options;
      const canAsk = this.#ask !== null;
      workplace.post({ kind: "prepare", file, parse, mainContent, timeoutMs, chunk, countAll, canAsk }, [
        file.bytes.buffer as ArrayBuffer,
      ]);
    });
  }
}

function lost(reason: string, cause: "crash" | "memory"): KnowledgeBaseError {
  if (cause === "memory")
    return new KnowledgeBaseError("limit_exceeded", "Parsing needed more memory than allowed and was stopped.");
  return new KnowledgeBaseError("internal", `What parses the document was lost: ${reason}.`);
}
