import { structureChunker } from "../chunkers/structure-chunker.js";
import { KnowledgeBaseError } from "../errors.js";
import type { AskModel, ModelAnswer } from "../interfaces/language-model.js";
import type { SourceFile } from "../interfaces/parser.js";
import { parseAndChunk } from "./parse-and-chunk.js";
import type { PreparedDocument } from "./preparer.js";
import { type FromWorkplace, failureOf, type ToWorkplace } from "./protocol.js";

/** Chunks and pieces of text in one message: few enough that receiving them doesn't hold up the caller's event loop. */
const CHUNKS_PER_MESSAGE = 256;
const PIECES_PER_MESSAGE = 8;

/**
 * Parses and chunks, one document at a time: what runs inside a workplace, so that a slow file never blocks the caller's event loop.
 * @param post Sends a message back.
 * @returns what takes the messages that come
 */
export function servePreparation(post: (message: FromWorkplace) => void): (message: ToWorkplace) => void {
  let counting: { resolve(counts: readonly number[]): void; reject(error: Error): void } | null = null;
  const asking = new Map<number, { resolve(answer: ModelAnswer): void; reject(error: Error): void }>();
  let questions = 0;
  let order: (ToWorkplace & { kind: "prepare" }) | null = null;
  let bytes: Uint8Array = new Uint8Array();
  let received = 0;
  let chunks: PreparedDocument["chunks"] = [];
  let text: PreparedDocument["text"] = [];

  function nextPart(): Pick<PreparedDocument, "chunks" | "text"> & { more: boolean } {
    const part = { chunks: chunks.slice(0, CHUNKS_PER_MESSAGE), text: text.slice(0, PIECES_PER_MESSAGE) };
    chunks = chunks.slice(CHUNKS_PER_MESSAGE);
    text = text.slice(PIECES_PER_MESSAGE);
    return { ...part, more: chunks.length > 0 || text.length > 0 };
  }

  function countTokens(texts: readonly string[]): Promise<readonly number[]> {
    if (texts.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      counting = { resolve, reject };
      post({ kind: "count", texts });
    });
  }

  const ask: AskModel = (messages, { signal: _, ...settings } = {}) =>
    new Promise((resolve, reject) => {
      const id = questions++;
      asking.set(id, { resolve, reject });
      post({ kind: "ask", id, messages, settings });
    });

  function takeAnswer(message: ToWorkplace & { kind: "answered" | "unanswered" }): void {
    const waiting = asking.get(message.id);
    asking.delete(message.id);
    if (message.kind === "answered") waiting?.resolve(message.answer);
    else waiting?.reject(new KnowledgeBaseError(message.code, message.message, message));
  }

  function begin(message: ToWorkplace & { kind: "prepare" }): void {
    order = message;
    received = 0;
    bytes = message.part.length === message.file.size ? message.part : new Uint8Array(message.file.size);
    take(message.part);
  }

  function take(part: Uint8Array): void {
    if (bytes !== part) bytes.set(part, received);
    received += part.length;
    if (received < bytes.length) {
      post({ kind: "next" });
      return;
    }
    const { name, mimeType } = order!.file;
    const file = { name, mimeType, bytes };
    // Kept by nobody but the parser.
    bytes = new Uint8Array();
    void prepare(order!, file).then((answer) => {
      // What parsing took is given back first: the chunks are held on both sides for a while.
      if (chunks.length > CHUNKS_PER_MESSAGE) globalThis.gc?.();
      post(answer);
    });
  }

  async function prepare(message: ToWorkplace & { kind: "prepare" }, file: SourceFile): Promise<FromWorkplace> {
    try {
      const document = await parseAndChunk(
        file,
        {
          parse: {
            config: message.parse,
            mainContent: message.mainContent,
            timeoutMs: message.timeoutMs,
            onProgress: () => post({ kind: "progress" }),
            ask: message.canAsk ? ask : undefined,
          },
          chunk: { ...message.chunk, countTokens },
          countAll: message.countAll,
        },
        { parsers: [], chunker: structureChunker },
      );
      chunks = document.chunks;
      text = document.text;
      const { more, ...part } = nextPart();
      return { kind: "prepared", document: { ...document, ...part }, more };
    } catch (error) {
      return { kind: "failed", ...failureOf(error) };
    }
  }

  return (message) => {
    if (message.kind === "counted") counting?.resolve(message.counts);
    else if (message.kind === "uncountable")
      counting?.reject(new KnowledgeBaseError("provider_failed", message.message));
    else if (message.kind === "answered" || message.kind === "unanswered") takeAnswer(message);
    else if (message.kind === "more") post({ kind: "continued", ...nextPart() });
    else if (message.kind === "part") take(message.part);
    else begin(message);
  };
}
