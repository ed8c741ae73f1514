import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { AskModel } from "../interfaces/language-model.js";
import { Countdown } from "./pausable-timeout.js";
import type { PreparedChunk, PreparedDocument, PrepareOptions } from "./preparer.js";
import { type FromWorkplace, failureOf } from "./protocol.js";
import type { UnreadFile } from "./unread-file.js";
import type { OpenWorkplace, Workplace } from "./worker-host.js";

/** Work that says how it gets on, as text recognition does page by page, may take this many times the limit in all. */
const TOTAL_TIMES = 4;

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
  #closed = false;

  constructor(open: OpenWorkplace, { lifetime = Number.POSITIVE_INFINITY, ask = null }: SeatOptions = {}) {
    this.#open = open;
    this.#lifetime = lifetime;
    this.#ask = ask;
  }

  /** @param timeoutMs For parsing and chunking without progress; four times as much for all of it. */
  async prepare(file: UnreadFile, options: PrepareOptions, timeoutMs: number): Promise<PreparedDocument> {
    const part = await file.next();
    options.signal?.throwIfAborted();
    if (this.#closed) throw closed();
    this.#workplace ??= this.#start();
    const workplace = this.#workplace;
    workplace.hold();
    try {
      return await this.#converse(workplace, { file, part }, options, timeoutMs);
    } finally {
      // Whoever ended it waits for its end.
      if (this.#workplace === workplace) workplace.release();
      if (++this.#documents >= this.#lifetime || this.#workplace?.isLarge()) this.#leave();
    }
  }

  async close(): Promise<void> {
    const workplace = this.#workplace;
    this.#workplace = null;
    this.#closed = true;
    this.#conversation?.lost(closed());
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
        this.#conversation?.lost(
          cause === "memory"
            ? new KnowledgeBaseError("limit_exceeded", reason)
            : new KnowledgeBaseError("internal", `What parses the document was lost: ${reason}.`),
        );
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
    { file, part }: { readonly file: UnreadFile; readonly part: Uint8Array },
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
      const sendPart = async () => {
        // Nor is the time of a store.
        countdown.halt();
        try {
          const part = await file.next();
          if (asking.signal.aborted) return;
          workplace.post({ kind: "part", part }, movable(part));
          countdown.progress();
          countdown.start();
        } catch (error) {
          if (!asking.signal.aborted) end(error);
        }
      };
      const hear = (message: FromWorkplace) => {
        switch (message.kind) {
          case "next":
            return void sendPart();
          case "progress":
            workplace.allowMore();
            return countdown.progress();
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
      const totalMs = timeoutMs * TOTAL_TIMES;
      const countdown = new Countdown({ silenceMs: timeoutMs, totalMs }, (limitMs) => {
        const seconds = limitMs / 1000;
        end(new KnowledgeBaseError("limit_exceeded", `Parsing took longer than ${seconds} seconds and was stopped.`));
      });
      options.signal?.addEventListener("abort", abort, { once: true });
      this.#conversation = { hear, lost: (error) => finish(() => reject(error)) };
      const { parse, mainContent = false, countAll = false } = options;
      const canAsk = this.#ask !== null;
      const { name, mimeType, size } = file;
      workplace.post(
        {
          kind: "prepare",
          file: { name, mimeType, size },
          part,
          parse,
          mainContent,
          timeoutMs: totalMs,
          chunk,
          countAll,
          canAsk,
        },
        movable(part),
      );
    });
  }
}

function closed(): KnowledgeBaseError {
  return new KnowledgeBaseError("closed", "The knowledge base is closed.");
}

/** What a part is in, where nothing else is. */
function movable({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
