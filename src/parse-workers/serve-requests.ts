import { constants, setPriority } from "node:os";
import type { SourceFile } from "../interfaces/parser.js";
import { type PostMessage, type RpcMessage, RpcPeer } from "../rpc/rpc-peer.js";
import { parseAndChunk } from "./parse-and-chunk.js";
import type { PreparedDocument } from "./preparer.js";
import type { CallerOperations, PrepareRequest, Results, WorkerOperations } from "./protocol.js";

// Few enough chunks and pieces of text that receiving a message doesn't block the caller's event loop.
const MAX_CHUNKS_PER_MESSAGE = 256;
const MAX_PIECES_PER_MESSAGE = 8;

/**
 * Serves the worker's side of the protocol: parses and chunks one document at a time.
 * @returns the handler for the caller's messages
 */
export function serveParseRequests(post: PostMessage): (message: RpcMessage) => void {
  lowerThreadPriority();
  const handlers: WorkerOperations = { prepare, nextResults };
  const caller = new RpcPeer<CallerOperations>(post, handlers);
  let unsent: Omit<Results, "hasMore"> = { chunks: [], text: [] };

  async function prepare(request: PrepareRequest): Promise<PreparedDocument & Results> {
    // Keeps no reference to the file, so that its bytes can be freed once parsed.
    const document = await receiveFile(request).then((file) => parse(file, request));
    unsent = document;
    const results = nextResults();
    // Frees the parser's memory before both sides hold the chunks of a large document.
    if (unsent.chunks.length > MAX_CHUNKS_PER_MESSAGE) globalThis.gc?.();
    return { ...document, ...results };
  }

  function nextResults(): Results {
    const { chunks, text } = unsent;
    unsent = { chunks: chunks.slice(MAX_CHUNKS_PER_MESSAGE), text: text.slice(MAX_PIECES_PER_MESSAGE) };
    return {
      chunks: chunks.slice(0, MAX_CHUNKS_PER_MESSAGE),
      text: text.slice(0, MAX_PIECES_PER_MESSAGE),
      hasMore: unsent.chunks.length > 0 || unsent.text.length > 0,
    };
  }

  async function receiveFile({ file: { name, mimeType, size }, part }: PrepareRequest): Promise<SourceFile> {
    if (part.length === size) return { name, mimeType, bytes: part };
    const bytes = new Uint8Array(size);
    bytes.set(part);
    for (let offset = part.length; offset < size; ) {
      const next = await caller.call("nextPart", null);
      bytes.set(next, offset);
      offset += next.length;
    }
    return { name, mimeType, bytes };
  }

  function parse(file: SourceFile, request: PrepareRequest): Promise<PreparedDocument> {
    const { parse: config, mainContent, timeoutMs, chunk, countAll, firstPages, hasModel } = request;
    return parseAndChunk(file, {
      parse: {
        config,
        mainContent,
        timeoutMs,
        firstPages,
        onProgress: () => caller.notify("reportProgress", null),
        onPages: (pages) => caller.notify("reportPages", pages),
        ask: hasModel
          ? (messages, { signal: _, ...settings } = {}) => caller.call("askModel", { messages, settings })
          : undefined,
      },
      chunk: {
        ...chunk,
        countTokens: async (texts) => (texts.length === 0 ? [] : caller.call("countTokens", texts)),
      },
      countAll,
    });
  }

  return (message) => caller.receive(message);
}

/**
 * Lowers this thread's priority, so that searches get the CPU first. Does nothing except on Linux, the only system with
 * priorities per thread (sched(7)): elsewhere the whole host process would slow down.
 */
function lowerThreadPriority(): void {
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
