import { structureChunker } from "../chunkers/structure-chunker.js";
import { KnowledgeBaseError } from "../errors.js";
import type { AskModel, ModelAnswer } from "../interfaces/language-model.js";
import type { SourceFile } from "../interfaces/parser.js";
import { parseAndChunk } from "./parse-and-chunk.js";
import type { PreparedDocument } from "./preparer.js";
import { type MessageFromWorker, type MessageToWorker, toWireError } from "./protocol.js";

/** Chunks and pieces of text in one message: few enough that receiving them doesn't hold up the caller's event loop. */
const CHUNKS_PER_MESSAGE = 256;
const PIECES_PER_MESSAGE = 8;

type PrepareMessage = MessageToWorker & { readonly kind: "prepare" };
type Results = Pick<PreparedDocument, "chunks" | "text">;

interface PendingReply<Reply> {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/**
 * The worker's side of the protocol: parses and chunks one document at a time.
 * @param post Sends a message to the caller.
 * @returns the handler of the caller's messages
 */
export function serveParseRequests(post: (message: MessageFromWorker) => void): (message: MessageToWorker) => void {
  let pendingCount: PendingReply<readonly number[]> | null = null;
  const pendingAnswers = new Map<number, PendingReply<ModelAnswer>>();
  let questions = 0;
  let request: PrepareMessage | null = null;
  let bytes: Uint8Array = new Uint8Array();
  let received = 0;
  let unsent: Results = { chunks: [], text: [] };

  function takeResults(): Results & { more: boolean } {
    const { chunks, text } = unsent;
    unsent = { chunks: chunks.slice(CHUNKS_PER_MESSAGE), text: text.slice(PIECES_PER_MESSAGE) };
    return {
      chunks: chunks.slice(0, CHUNKS_PER_MESSAGE),
      text: text.slice(0, PIECES_PER_MESSAGE),
      more: unsent.chunks.length > 0 || unsent.text.length > 0,
    };
  }

  function countTokens(texts: readonly string[]): Promise<readonly number[]> {
    if (texts.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      pendingCount = { resolve, reject };
      post({ kind: "countTokens", texts });
    });
  }

  const ask: AskModel = (messages, { signal: _, ...settings } = {}) =>
    new Promise((resolve, reject) => {
      const id = questions++;
      pendingAnswers.set(id, { resolve, reject });
      post({ kind: "askModel", id, messages, settings });
    });

  function onModelReply(message: MessageToWorker & { kind: "modelAnswer" | "modelError" }): void {
    const pending = pendingAnswers.get(message.id);
    pendingAnswers.delete(message.id);
    if (message.kind === "modelAnswer") pending?.resolve(message.answer);
    else pending?.reject(new KnowledgeBaseError(message.code, message.message, message));
  }

  function begin(message: PrepareMessage): void {
    request = message;
    received = 0;
    bytes = message.part.length === message.file.size ? message.part : new Uint8Array(message.file.size);
    addPart(message.part);
  }

  function addPart(part: Uint8Array): void {
    if (bytes !== part) bytes.set(part, received);
    received += part.length;
    if (received < bytes.length) {
      post({ kind: "nextPart" });
      return;
    }
    const { name, mimeType } = request!.file;
    const file = { name, mimeType, bytes };
    // Only the parser still references the bytes.
    bytes = new Uint8Array();
    void prepare(request!, file).then((answer) => {
      // Frees the parser's memory before the chunks of a large document are held on both sides.
      if (unsent.chunks.length > CHUNKS_PER_MESSAGE) globalThis.gc?.();
      post(answer);
    });
  }

  async function prepare(message: PrepareMessage, file: SourceFile): Promise<MessageFromWorker> {
    try {
      const document = await parseAndChunk(
        file,
        {
          parse: {
            config: message.parse,
            mainContent: message.mainContent,
            timeoutMs: message.timeoutMs,
            onProgress: () => post({ kind: "progress" }),
            ask: message.hasModel ? ask : undefined,
          },
          chunk: { ...message.chunk, countTokens },
          countAll: message.countAll,
        },
        { parsers: [], chunker: structureChunker },
      );
      unsent = { chunks: document.chunks, text: document.text };
      const { more, ...results } = takeResults();
      return { kind: "prepared", document: { ...document, ...results }, more };
    } catch (error) {
      return { kind: "failed", ...toWireError(error) };
    }
  }

  return (message) => {
    switch (message.kind) {
      case "prepare":
        return begin(message);
      case "part":
        return addPart(message.part);
      case "tokenCounts":
        return pendingCount?.resolve(message.counts);
      case "countFailed":
        return pendingCount?.reject(new KnowledgeBaseError("provider_failed", message.message));
      case "modelAnswer":
      case "modelError":
        return onModelReply(message);
      case "sendMore":
        return post({ kind: "nextResults", ...takeResults() });
    }
  };
}
