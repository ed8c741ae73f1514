import type { PDFDocumentProxy } from "pdfjs-dist";
import { invalidFile } from "../../shared/errors/file-errors.js";
import { documentOptions, loadPdfjs, loadPdfjsWithWorker, pdfjsFolder } from "./load-pdfjs.js";
import { assertStreamsWithinLimit } from "./stream-sizes.js";
import { createTextWorker } from "./text-worker.js";

/**
 * A stub of the HTML document in which pdfjs registers fonts. With it, pdfjs doesn't compute glyph outlines, which would
 * take longer than the rest of the operator list.
 */
const FONT_DOCUMENT = {
  createElement: () => ({ sheet: { cssRules: [], insertRule() {} }, append() {}, remove() {} }),
  documentElement: { getElementsByTagName: () => [{ append() {} }] },
};

export interface OpenPdf {
  readonly document: PDFDocumentProxy;
  close(): Promise<void>;
}

/**
 * Opens a PDF for reading its text, without evaluating code or using the network.
 * @param enableXfa Whether the pages of a form in XFA are those of its template and data, unless it exceeds the limits
 * of the text worker.
 * @throws `invalid_input` for a file that is password-protected, truncated or damaged, `limit_exceeded` if its
 * streams inflate to too much.
 */
export async function openPdf(name: string | null, bytes: Uint8Array, enableXfa = false): Promise<OpenPdf> {
  if (isTruncated(bytes)) throw invalidFile(name, "is a truncated PDF: its end is missing.");
  assertStreamsWithinLimit(name, bytes);
  const worker = await createTextWorker();
  const pdfjs = worker === null ? await loadPdfjsWithWorker() : await loadPdfjs();
  const task = pdfjs.getDocument({
    ...documentOptions(bytes, pdfjs),
    disableFontFace: false,
    ownerDocument: FONT_DOCUMENT,
    // pdfjs' own worker lays out forms of any size, in any time.
    ...(enableXfa && worker !== null ? { enableXfa, standardFontDataUrl: pdfjsFolder("standard_fonts") } : {}),
    // The text worker names larger images without decoding them; pdfjs' own would leave them out.
    ...(worker === null ? {} : { worker, maxImageSize: 1 }),
  });
  const close = async (): Promise<void> => {
    await task.destroy();
    worker?.destroy();
  };
  try {
    return { document: await task.promise, close };
  } catch (error) {
    await close();
    if (error instanceof Error && error.name === "PasswordException")
      throw invalidFile(name, "is password-protected.", error);
    throw invalidFile(name, "is a truncated or damaged PDF: its structure cannot be read.", error);
  }
}

/** Whether a PDF is truncated: no object table and no end marker, or shorter than its linearization declares. */
function isTruncated(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.includes("%%EOF") && !buffer.includes("startxref") && !buffer.includes("trailer")) return true;
  const length = /\/Linearized\s[^>]*?\/L\s+(\d+)/.exec(buffer.toString("latin1", 0, 2048))?.[1];
  return length !== undefined && Number(length) > bytes.length;
}
