import { constants, setPriority } from "node:os";
import type { SourceFile } from "../interfaces/parser.js";
import { type PostMessage, type RpcMessage, RpcPeer } from "../rpc/rpc-peer.js";
import { parseAndChunk } from "./parse-and-chunk.js";
import type { PreparedDocument } from "./preparer.js";
import type { CallerOperations, PrepareRequest, Results, WorkerOperations } from "./protocol.js";

/** Chunks and pieces of text in one message: few enough that receiving them doesn't block the caller's event loop. */
const CHUNKS_PER_MESSAGE = 256;
const PIECES_PER_MESSAGE = 8;

/**
 * The worker's side of the protocol: parses and chunks one document at a time.
 * @returns the handler of the caller's messages
 */
export function serveParseRequests(post: PostMessage): (message: RpcMessage) => void {
  lowerThreadPriority();
  const handlers: WorkerOperations = { prepare, nextResults };
  const caller = new RpcPeer<CallerOperations>(post, handlers);
  let unsent: Omit<Results, "more"> = { chunks: [], text: [] };

  async function prepare(request: PrepareRequest): Promise<PreparedDocument & Results> {
    // Only the parser references the file's bytes.
    const document = await receiveFile(request).then((file) => parse(file, request));
    unsent = document;
    const results = nextResults();
    // Frees the parser's memory before the chunks of a large document are held on both sides.
    if (unsent.chunks.length > CHUNKS_PER_MESSAGE) globalThis.gc?.();
    return { ...document, ...results };
  }

  function nextResults(): Results {
    const { chunks, text } = unsent;
    unsent = { chunks: chunks.slice(CHUNKS_PER_MESSAGE), text: text.slice(PIECES_PER_MESSAGE) };
    return {
      chunks: chunks.slice(0, CHUNKS_PER_MESSAGE),
      text: text.slice(0, PIECES_PER_MESSAGE),
      more: unsent.chunks.length > 0 || unsent.text.length > 0,
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
    const { parse: config, mainContent, timeoutMs, chunk, countAll, hasModel } = request;
    return parseAndChunk(file, {
      parse: {
        config,
        mainContent,
        timeoutMs,
        onProgress: () => caller.notify("progress", null),
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
 * Gives searches the processor first. Only Linux has priorities per thread (sched(7)); elsewhere this would slow down
 * the whole host process, so it does nothing there.
 */
function lowerThreadPriority(): void {
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
