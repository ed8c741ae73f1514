import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { canvasLibrary, type Pixels } from "../../image/canvas-library.js";
import { encodeJpeg } from "../../image/encode-jpeg.js";
import { type RenderableImage, rasterOf } from "../../shared/ocr/raster.js";
import type { Box } from "../page/frame.js";
import { documentOptions, loadPdfjsWithWorker, pdfjsFolder, renderAlone } from "../pdfjs/load-pdfjs.js";
import { pageFigures } from "./page-figures.js";

/** Images with more pixels are not drawn. */
const MAX_IMAGE_PIXELS = 120e6;
/** Maximum pixels per point of a crop: 216 dpi, at which text of 6 pt is legible. */
const MAX_CROP_SCALE = 3;
/** Maximum side of a page's canvas, in pixels. */
const MAX_CANVAS_SIDE = 4000;

type RenderParameters = Parameters<PDFPageProxy["render"]>[0];

interface Drawing {
  readonly canvas: RenderParameters["canvas"];
  readonly context: RenderParameters["canvasContext"] & {
    imageSmoothingQuality: string;
    getImageData(x: number, y: number, width: number, height: number): Pixels;
  };
}

/** Renders the pages of a PDF. A PDF opened by `openPdf` has neither images nor glyph outlines. */
export class PageRenderer {
  readonly #document: PDFDocumentProxy;
  readonly #signal: AbortSignal | undefined;

  private constructor(document: PDFDocumentProxy, signal: AbortSignal | undefined) {
    this.#document = document;
    this.#signal = signal;
  }

  /**
   * @param bytes The bytes of a file that `openPdf` has accepted.
   * @param signal Ends renderings, which then reject with its reason; also those that wait for other documents.
   * @throws KnowledgeBaseError `unsupported` if the canvas library is not installed
   */
  static async open(bytes: Uint8Array, signal?: AbortSignal): Promise<PageRenderer> {
    canvasLibrary();
    const pdfjs = await loadPdfjsWithWorker();
    const task = pdfjs.getDocument({
      ...documentOptions(bytes, pdfjs),
      standardFontDataUrl: pdfjsFolder("standard_fonts"),
      maxImageSize: MAX_IMAGE_PIXELS,
    });
    return new PageRenderer(await task.promise, signal);
  }

  /** Returns a page as an image, which is rendered later. */
  async image(number: number): Promise<RenderableImage> {
    const page = await this.#document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    return {
      width,
      height,
      render: (scale) => {
        const viewport = page.getViewport({ scale });
        const [columns, rows] = [Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height))];
        return this.#draw(page, columns, rows, async ({ canvas, context: canvasContext }) => {
          canvasContext.imageSmoothingQuality = "high";
          // pdfjs upscales images without smoothing, and blocky letters are misread.
          Object.defineProperty(canvasContext, "imageSmoothingEnabled", { get: () => true, set() {} });
          await this.#render(page, { canvas, canvasContext, viewport });
          return rasterOf(columns, rows, (top, count) => canvasContext.getImageData(0, top, columns, count).data);
        });
      },
    };
  }

  /** Renders boxes of a page as JPEG images of at most `maxPixels` along their longer side. */
  async crops(number: number, boxes: readonly Box[], maxPixels: number): Promise<readonly Uint8Array[]> {
    const page = await this.#document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const scale = Math.min(MAX_CROP_SCALE, MAX_CANVAS_SIDE / Math.max(width, height));
    const viewport = page.getViewport({ scale });
    const [columns, rows] = [Math.ceil(viewport.width), Math.ceil(viewport.height)];
    return this.#draw(page, columns, rows, async ({ canvas, context }) => {
      await this.#render(page, { canvas, canvasContext: context, viewport });
      const crops: Uint8Array[] = [];
      for (const box of boxes) {
        const [left = 0, top = 0, right = 0, bottom = 0] = box.map((edge) => Math.round(edge * scale));
        const part = canvasLibrary().createCanvas(Math.max(1, right - left), Math.max(1, bottom - top));
        // Copies pixels: drawing one canvas onto another would copy the whole canvas each time.
        const pixels = context.getImageData(left, top, part.width, part.height);
        part.getContext("2d").putImageData(pixels, 0, 0);
        crops.push(await encodeJpeg(part, maxPixels));
      }
      return crops;
    });
  }

  async figures(number: number): Promise<readonly Box[]> {
    return pageFigures(await this.#document.getPage(number));
  }

  /** Calls `draw` with a canvas when no other page is drawn, and frees the page's memory afterwards. */
  #draw<Result>(
    page: PDFPageProxy,
    columns: number,
    rows: number,
    draw: (drawing: Drawing) => Promise<Result>,
  ): Promise<Result> {
    const factory = this.#document.canvasFactory as {
      create(width: number, height: number): Drawing;
      destroy(drawing: Drawing): void;
    };
    const drawAndFree = async () => {
      const drawing = factory.create(columns, rows);
      try {
        return await draw(drawing);
      } finally {
        factory.destroy(drawing);
        page.cleanup();
      }
    };
    return renderAlone(columns * rows, drawAndFree, this.#signal);
  }

  async #render(page: PDFPageProxy, parameters: RenderParameters): Promise<void> {
    this.#signal?.throwIfAborted();
    const task = page.render(parameters);
    // Otherwise pdfjs would draw without a pause in which the signal can be aborted.
    task.onContinue = (next: () => void) => setImmediate(next);
    const cancel = () => task.cancel();
    this.#signal?.addEventListener("abort", cancel, { once: true });
    try {
      await task.promise;
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error;
    } finally {
      this.#signal?.removeEventListener("abort", cancel);
    }
  }

  async close(): Promise<void> {
    await this.#document.loadingTask.destroy();
  }
}
