import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { compileFunction, constants } from "node:vm";
import { inflateSync } from "node:zlib";
import type { PDFWorker } from "pdfjs-dist";
import { keepNatives } from "./keep-natives.js";
import { loadPdfjs } from "./load-pdfjs.js";
import { joinedPorts, type WorkerPort } from "./worker-port.js";

interface MessageHandler {
  initializeFromPort(port: WorkerPort): void;
}

/**
 * Passages of pdfjs' worker, each of which is there once, and what they become. Reading text and lines takes neither a
 * font that a browser could draw with, once it is known what its letters mean, nor a stream of streams for each page.
 * What the text is, and where it stands, stays the same.
 */
const SHORTCUTS: readonly (readonly [passage: string, shortcut: string])[] = [
  // The font's own file says nothing more of its letters where the document does.
  [
    "    [type, subtype] = getFontFileType(file, properties);\n",
    `    if (properties.hasIncludedToUnicodeMap || properties.baseEncodingName) {
      amendFallbackToUnicode(properties);
      return;
    }
    [type, subtype] = getFontFileType(file, properties);
`,
  ],
  // Here its encoding has been taken over.
  ["    let glyphZeroId = 1;\n", "    return null;\n    let glyphZeroId = 1;\n"],
  // The name of a font tells whether it is bold; else only the drawing list of a page would have it.
  [
    "          vertical: font.vertical\n        };",
    "          vertical: font.vertical, name: font.name, bold: font.bold, black: font.black\n        };",
  ],
  [
    "    try {\n      const {\n        readable,\n        writable\n      } = new DecompressionStream(name);",
    `    try {
      if (name === "deflate") return { decompressed: inflate(bytes), compressed: bytes };
      const {
        readable,
        writable
      } = new DecompressionStream(name);`,
  ],
  // Each part of a page's text that is sent costs as much as some of its letters.
  ["const TEXT_CHUNK_BATCH_SIZE = 10;", "const TEXT_CHUNK_BATCH_SIZE = 500;"],
  // Pages are drawn by the library's own worker, which it must not take this one for.
  ["globalThis.pdfjsWorker = {\n  WorkerMessageHandler: WorkerMessageHandler\n};\n", ""],
  ["export { WorkerMessageHandler };", "return WorkerMessageHandler;"],
];

let loading: Promise<MessageHandler | null> | null = null;

/**
 * A worker for one document, in this thread, that does no more than reading takes; null where the library is of another
 * version than the one that is known, so that its own worker must do.
 */
export async function textWorker(): Promise<PDFWorker | null> {
  const { PDFWorker, VerbosityLevel } = await loadPdfjs();
  loading ??= keepNatives(load);
  const handler = await loading;
  if (handler === null) return null;
  const [ours, theirs] = joinedPorts();
  handler.initializeFromPort(theirs);
  // Declared to take no port, which it does.
  return new PDFWorker({ port: ours as unknown as null, verbosity: VerbosityLevel.ERRORS });
}

async function load(): Promise<MessageHandler | null> {
  const file = createRequire(import.meta.url).resolve("pdfjs-dist/legacy/build/pdf.worker.mjs");
  const source = withShortcuts(await readFile(file, "utf8"));
  if (source === null) return null;
  const worker = compileFunction(source.replaceAll("import.meta.url", "workerUrl"), ["workerUrl", "inflate"], {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return worker(pathToFileURL(file).href, inflated) as MessageHandler;
}

function withShortcuts(source: string): string | null {
  let result = `"use strict";${source}`;
  for (const [passage, shortcut] of SHORTCUTS) {
    const parts = result.split(passage);
    if (parts.length !== 2) return null;
    result = parts.join(shortcut);
  }
  return result;
}

function inflated(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = inflateSync(bytes);
  return new Uint8Array(buffer, byteOffset, length);
}
