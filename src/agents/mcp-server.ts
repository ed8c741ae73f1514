import { Writable } from "node:stream";
import type { McpServer } from "@modelcontextprotocol/server";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { NamespaceHandle } from "../index.js";
import { importUnbundled, loadPackage } from "../net/load-package.js";
import { packageVersion } from "../util/package-version.js";
import { AGENT_TOOLS } from "./agent-tools.js";

type Sdk = typeof import("@modelcontextprotocol/server");

export interface McpOptions {
  /** Called for each failure whose cause is not part of the result. */
  readonly onError: (error: unknown) => void;
}

export interface McpRequest {
  readonly request: Request;
  /** The parsed body of a `POST`. The SDK would read the body without a time limit. */
  readonly message: unknown;
}

/**
 * Answers one request of the Model Context Protocol (streamable HTTP, without sessions) with read-only tools over a
 * namespace, or one tenant of it.
 *
 * @throws KnowledgeBaseError `not_ready` if the optional package `@modelcontextprotocol/server` is missing
 */
export async function answerMcpRequest(
  { request, message }: McpRequest,
  handle: NamespaceHandle,
  { onError }: McpOptions,
): Promise<Response> {
  const sdk = await loadSdk();
  const handler = sdk.createMcpHandler(() => createServer(sdk, handle, onError), { onerror: onError });
  return handler.fetch(request, { parsedBody: message });
}

export interface McpStdioOptions extends McpOptions {
  /** Writes a line to standard output. */
  readonly writeLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Serves the Model Context Protocol over standard input and output, until the input ends or the signal is aborted. */
export async function serveMcpStdio(
  handle: NamespaceHandle,
  { onError, writeLine, signal }: McpStdioOptions,
): Promise<void> {
  const sdk = await loadSdk();
  const { serveStdio, StdioServerTransport } = (await importUnbundled(
    "@modelcontextprotocol/server/stdio",
  )) as typeof import("@modelcontextprotocol/server/stdio");
  const output = new Writable({
    decodeStrings: false,
    write(message: string, _encoding, done) {
      writeLine(message.trimEnd());
      done();
    },
  });
  await new Promise<void>((resolve) => {
    const transport = new StdioServerTransport(process.stdin, output);
    const server = serveStdio(() => createServer(sdk, handle, onError), { transport, onerror: onError });
    const close = () => {
      process.stdin.destroy();
      server.close().then(resolve, resolve);
    };
    process.stdin.once("end", close);
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) close();
  });
}

function loadSdk(): Promise<Sdk> {
  return loadPackage("@modelcontextprotocol/server@2");
}

function createServer(
  { McpServer: Server }: Sdk,
  handle: NamespaceHandle,
  onError: (error: unknown) => void,
): McpServer {
  const server = new Server({ name: "lorebase", version: packageVersion() });
  for (const { name, title, description, inputSchema, outputSchema, run } of AGENT_TOOLS) {
    const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
    const config = { title, description, inputSchema, outputSchema, annotations };
    server.registerTool(name, config, async (args, { mcpReq: { signal } }) => {
      try {
        const { text, output } = await run(handle, args, { signal });
        return { content: [{ type: "text", text }], structuredContent: output };
      } catch (error) {
        signal.throwIfAborted();
        return { content: [{ type: "text", text: describeError(error, onError) }], isError: true };
      }
    });
  }
  return server;
}

/**
 * Returns the message of an error that the caller caused. Any other error is reported to `onError` only, because its
 * message may contain details of this server.
 */
function describeError(error: unknown, onError: (error: unknown) => void): string {
  if (KnowledgeBaseError.is(error) && ["invalid_input", "not_found", "not_ready", "conflict"].includes(error.code))
    return getErrorMessage(error);
  onError(error);
  return "The tool failed. The server's log has the cause.";
}
