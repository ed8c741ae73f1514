import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { compileFunction, constants } from "node:vm";
import { inflateSync } from "node:zlib";
import type { PDFWorker } from "pdfjs-dist";
import { loadPdfjs } from "./load-pdfjs.js";
import { restoreBuiltIns } from "./restore-built-ins.js";
import { createConnectedPorts, type WorkerPort } from "./worker-port.js";

interface MessageHandler {
  initializeFromPort(port: WorkerPort): void;
}

/**
 * Patches to the pdfjs worker; each original passage must occur exactly once. To read text and lines, the worker needs
 * neither decompression through web streams nor, once a font's Unicode mapping is known, a font that a browser could
 * draw. The extracted text and its positions stay the same.
 */
const PATCHES: readonly (readonly [original: string, replacement: string])[] = [
  // If the document maps the font's characters, the font file adds nothing.
  [
    "    [type, subtype] = getFontFileType(file, properties);\n",
    `    if (properties.hasIncludedToUnicodeMap || properties.baseEncodingName) {
      amendFallbackToUnicode(properties);
      return;
    }
    [type, subtype] = getFontFileType(file, properties);
`,
  ],
  // The font's encoding is complete at this point.
  ["    let glyphZeroId = 1;\n", "    return null;\n    let glyphZeroId = 1;\n"],
  // The font's name shows whether the font is bold, which otherwise only a page's operator list would show.
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
  // Sends fewer chunks of text, each of which costs as much as several letters.
  ["const TEXT_CHUNK_BATCH_SIZE = 10;", "const TEXT_CHUNK_BATCH_SIZE = 500;"],
  // Pages are rendered by pdfjs' own worker, which pdfjs must not confuse with the patched worker.
  ["globalThis.pdfjsWorker = {\n  WorkerMessageHandler: WorkerMessageHandler\n};\n", ""],
  ["export { WorkerMessageHandler };", "return WorkerMessageHandler;"],
];

let loading: Promise<MessageHandler | null> | null = null;

/**
 * Creates a worker for one document, on this thread, patched to read only text. Returns `null` if the patches don't
 * apply to the installed version of pdfjs, which must then use its own worker.
 */
export async function createTextWorker(): Promise<PDFWorker | null> {
  const { PDFWorker, VerbosityLevel } = await loadPdfjs();
  loading ??= restoreBuiltIns(loadHandler);
  const handler = await loading;
  if (handler === null) return null;
  const [port, workerPort] = createConnectedPorts();
  handler.initializeFromPort(workerPort);
  // The declarations omit the `port` parameter.
  return new PDFWorker({ port: port as unknown as null, verbosity: VerbosityLevel.ERRORS });
}

async function loadHandler(): Promise<MessageHandler | null> {
  const file = createRequire(import.meta.url).resolve("pdfjs-dist/legacy/build/pdf.worker.mjs");
  const source = applyPatches(await readFile(file, "utf8"));
  if (source === null) return null;
  const worker = compileFunction(source.replaceAll("import.meta.url", "workerUrl"), ["workerUrl", "inflate"], {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return worker(pathToFileURL(file).href, inflate) as MessageHandler;
}

function applyPatches(source: string): string | null {
  let result = `"use strict";${source}`;
  for (const [original, replacement] of PATCHES) {
    const parts = result.split(original);
    if (parts.length !== 2) return null;
    result = parts.join(replacement);
  }
  return result;
}

function inflate(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = inflateSync(bytes);
  return new Uint8Array(buffer, byteOffset, length);
}
