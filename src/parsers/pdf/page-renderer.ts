import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { canvasLibrary, type Pixels } from "../image/canvas-library.js";
import { encodeJpeg } from "../image/encode-jpeg.js";
import { type RenderableImage, rasterOf } from "../shared/ocr/raster.js";
import type { Box } from "./frame.js";
import { documentOptions, loadPdfjsWithWorker, pdfjsFolder, renderAlone } from "./load-pdfjs.js";
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

  private constructor(document: PDFDocumentProxy) {
    this.#document = document;
  }

  /**
   * @param bytes The bytes of a file that `openPdf` has accepted.
   * @throws KnowledgeBaseError `unsupported` if the canvas library is not installed
   */
  static async open(bytes: Uint8Array): Promise<PageRenderer> {
    canvasLibrary();
    const pdfjs = await loadPdfjsWithWorker();
    const task = pdfjs.getDocument({
      ...documentOptions(bytes, pdfjs),
      standardFontDataUrl: pdfjsFolder("standard_fonts"),
      maxImageSize: MAX_IMAGE_PIXELS,
    });
    return new PageRenderer(await task.promise);
  }

  /** Returns a page as an image, which is rendered later. */
  async image(number: number): Promise<RenderableImage> {
    const page = await this.#document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const factory = this.#factory;
    return {
      width,
      height,
      render(scale) {
        const viewport = page.getViewport({ scale });
        const [columns, rows] = [Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height))];
        return renderAlone(columns * rows, async () => {
          const drawing = factory.create(columns, rows);
          try {
            const { canvas, context: canvasContext } = drawing;
            canvasContext.imageSmoothingQuality = "high";
            // pdfjs upscales images without smoothing, and blocky letters are misread.
            Object.defineProperty(canvasContext, "imageSmoothingEnabled", { get: () => true, set() {} });
            await page.render({ canvas, canvasContext, viewport }).promise;
            return rasterOf(columns, rows, (top, count) => canvasContext.getImageData(0, top, columns, count).data);
          } finally {
            factory.destroy(drawing);
            page.cleanup();
          }
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
    return renderAlone(columns * rows, async () => {
      const drawing = this.#factory.create(columns, rows);
      try {
        await page.render({ canvas: drawing.canvas, canvasContext: drawing.context, viewport }).promise;
        const crops: Uint8Array[] = [];
        for (const box of boxes) {
          const [left = 0, top = 0, right = 0, bottom = 0] = box.map((edge) => Math.round(edge * scale));
          const part = canvasLibrary().createCanvas(Math.max(1, right - left), Math.max(1, bottom - top));
          // Copies pixels: drawing one canvas onto another would copy the whole canvas each time.
          const pixels = drawing.context.getImageData(left, top, part.width, part.height);
          part.getContext("2d").putImageData(pixels, 0, 0);
          crops.push(await encodeJpeg(part, maxPixels));
        }
        return crops;
      } finally {
        this.#factory.destroy(drawing);
        page.cleanup();
      }
    });
  }

  async figures(number: number): Promise<readonly Box[]> {
    return pageFigures(await this.#document.getPage(number));
  }

  get #factory() {
    return this.#document.canvasFactory as {
      create(width: number, height: number): Drawing;
      destroy(drawing: Drawing): void;
    };
  }

  async close(): Promise<void> {
    await this.#document.loadingTask.destroy();
  }
}
