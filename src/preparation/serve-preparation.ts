import { structureChunker } from "../chunkers/structure-chunker.js";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { PreparedDocument } from "../interfaces/preparer.js";
import { parseAndChunk } from "./preparation.js";
import type { FromWorkplace, ToWorkplace } from "./protocol.js";

/** Chunks in one message: few enough that receiving them doesn't hold up the caller's event loop. */
const CHUNKS_PER_MESSAGE = 256;

/**
 * Parses and chunks, one document at a time: what runs inside a workplace, so that a slow file never blocks the caller's event loop.
 * @param post Sends a message back.
 * @returns what takes the messages that come
 */
export function servePreparation(post: (message: FromWorkplace) => void): (message: ToWorkplace) => void {
  let counting: { resolve(counts: readonly number[]): void; reject(error: Error): void } | null = null;
  let remaining: PreparedDocument["chunks"] = [];

  function nextChunks(): { chunks: PreparedDocument["chunks"]; more: boolean } {
    const chunks = remaining.slice(0, CHUNKS_PER_MESSAGE);
    remaining = remaining.slice(CHUNKS_PER_MESSAGE);
    return { chunks, more: remaining.length > 0 };
  }

  function countTokens(texts: readonly string[]): Promise<readonly number[]> {
    if (texts.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      counting = { resolve, reject };
      post({ kind: "count", texts });
    });
  }

  async function prepare(message: ToWorkplace & { kind: "prepare" }): Promise<FromWorkplace> {
    try {
      const document = await parseAndChunk(
        message.file,
        {
          parse: { config: message.parse },
          chunk: { ...message.chunk, countTokens: message.chunk.maxTokens === null ? uncounted : countTokens },
        },
        { parsers: [], chunker: structureChunker },
      );
      remaining = document.chunks;
      const { chunks, more } = nextChunks();
      return { kind: "prepared", document: { ...document, chunks }, more };
    } catch (error) {
      if (KnowledgeBaseError.is(error)) {
        const { code, message: text, retryable, issues } = error;
        return { kind: "failed", code, message: text, retryable, issues };
      }
      return { kind: "failed", code: "internal", message: messageOf(error), retryable: false, issues: [] };
    }
  }

  return (message) => {
    if (message.kind === "counted") counting?.resolve(message.counts);
    else if (message.kind === "uncountable")
      counting?.reject(new KnowledgeBaseError("provider_failed", message.message));
    else if (message.kind === "more") post({ kind: "chunks", ...nextChunks() });
    else void prepare(message).then(post);
  };
}

/** Where no limit depends on it, the caller counts the finished chunks: one message less for each document. */
async function uncounted(texts: readonly string[]): Promise<readonly number[]> {
  return texts.map(() => 0);
}
