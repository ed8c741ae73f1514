import { inflateSync } from "node:zlib";
import type { OPS, PDFWorker } from "pdfjs-dist";
import { loadPdfjs } from "./load-pdfjs.js";
import { restoreBuiltIns } from "./restore-built-ins.js";
import { runPatchedWorker } from "./run-patched-worker.js";
import { TEXT_PATCHES } from "./worker-patches.js";
import { createConnectedPorts, type WorkerPort } from "./worker-port.js";

interface MessageHandler {
  initializeFromPort(port: WorkerPort): void;
}

type OperationName = keyof typeof OPS;

/** The operations that lines, areas, images and patterns consist of, and those that place them. */
const DRAWING_OPERATIONS: readonly OperationName[] = [
  ...(["save", "restore", "transform", "setGState", "paintXObject", "endInlineImage"] as const),
  // The size of Type 3 fonts.
  ...(["setCharWidth", "setCharWidthAndBounds"] as const),
  ...(["moveTo", "lineTo", "curveTo", "curveTo2", "curveTo3", "closePath", "rectangle", "endPath"] as const),
  ...(["stroke", "closeStroke", "fill", "eoFill", "fillStroke", "eoFillStroke"] as const),
  ...(["closeFillStroke", "closeEOFillStroke", "setFillColorSpace", "setFillColor", "setFillColorN"] as const),
  ...(["setFillGray", "setFillRGBColor", "setFillCMYKColor", "setStrokeColorSpace", "setStrokeColorN"] as const),
];
const TEXT_OPERATIONS: readonly OperationName[] = [
  "showText",
  "showSpacedText",
  "nextLineShowText",
  "nextLineSetSpacingShowText",
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
  const { OPS } = await loadPdfjs();
  const numbersOf = (names: readonly OperationName[]) => new Set(names.map((name) => OPS[name]));
  const worker = await runPatchedWorker(TEXT_PATCHES, {
    inflate,
    drawingOperations: numbersOf(DRAWING_OPERATIONS),
    textOperations: numbersOf(TEXT_OPERATIONS),
  });
  return worker === null ? null : (worker.returned as MessageHandler);
}

function inflate(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = inflateSync(bytes);
  return new Uint8Array(buffer, byteOffset, length);
}
