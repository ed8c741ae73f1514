import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { asJpeg } from "../image/as-jpeg.js";
import { canvasLibrary, type Pixels } from "../image/canvas-library.js";
import { type Picture, rasterOf } from "../shared/ocr/raster.js";
import type { Box } from "./frame.js";
import { loadPdfjsWithWorker } from "./load-pdfjs.js";
import { pageFigures } from "./page-figures.js";
import { type PageInk, pageInk } from "./page-ink.js";

/** Larger pictures are left out of a page. */
const MAX_IMAGE_PIXELS = 120e6;
/** 216 pixels an inch: print of six points is read well. */
const MAX_CUTTING_SCALE = 3;
/** Of the canvas that a page is drawn on. */
const MAX_CANVAS_SIDE = 4000;

type RenderParameters = Parameters<PDFPageProxy["render"]>[0];

interface Drawing {
  readonly canvas: RenderParameters["canvas"];
  readonly context: RenderParameters["canvasContext"] & {
    imageSmoothingQuality: string;
    getImageData(x: number, y: number, width: number, height: number): Pixels;
  };
}

/** A PDF opened for drawing: what is opened for reading leaves out pictures and the outlines of letters. */
export class PageDrawer {
  readonly #document: PDFDocumentProxy;

  private constructor(document: PDFDocumentProxy) {
    this.#document = document;
  }

  /**
   * @param bytes Of a file that can be opened for reading.
   * @throws KnowledgeBaseError `unsupported` where the library that draws is not installed
   */
  static async open(bytes: Uint8Array): Promise<PageDrawer> {
    canvasLibrary();
    const pdfjs = await loadPdfjsWithWorker();
    const folder = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
    const task = pdfjs.getDocument({
      data: new Uint8Array(bytes),
      cMapUrl: join(folder, "cmaps") + sep,
      standardFontDataUrl: join(folder, "standard_fonts") + sep,
      wasmUrl: join(folder, "wasm") + sep,
      isEvalSupported: false,
      useWorkerFetch: false,
      useSystemFonts: false,
      isOffscreenCanvasSupported: false,
      maxImageSize: MAX_IMAGE_PIXELS,
      verbosity: pdfjs.VerbosityLevel.ERRORS,
    });
    return new PageDrawer(await task.promise);
  }

  /** A page as a picture. */
  async picture(number: number): Promise<Picture> {
    const page = await this.#document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const factory = this.#factory;
    return {
      width,
      height,
      async draw(scale) {
        const viewport = page.getViewport({ scale });
        const [across, down] = [Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height))];
        const drawing = factory.create(across, down);
        try {
          const { canvas, context: canvasContext } = drawing;
          canvasContext.imageSmoothingQuality = "high";
          // The library shows the pixels of enlarged pictures as blocks, in which letters are misread.
          Object.defineProperty(canvasContext, "imageSmoothingEnabled", { get: () => true, set() {} });
          await page.render({ canvas, canvasContext, viewport }).promise;
          return rasterOf(across, down, (top, rows) => canvasContext.getImageData(0, top, across, rows).data);
        } finally {
          factory.destroy(drawing);
          page.cleanup();
        }
      },
    };
  }

  /** What a page shows within some boxes, as JPEG pictures of at most so many pixels along their longer sides. */
  async cuttings(number: number, boxes: readonly Box[], maxPixels: number): Promise<readonly Uint8Array[]> {
    const page = await this.#document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const scale = Math.min(MAX_CUTTING_SCALE, MAX_CANVAS_SIDE / Math.max(width, height));
    const viewport = page.getViewport({ scale });
    const drawing = this.#factory.create(Math.ceil(viewport.width), Math.ceil(viewport.height));
    try {
      await page.render({ canvas: drawing.canvas, canvasContext: drawing.context, viewport }).promise;
      const cuttings: Uint8Array[] = [];
      for (const box of boxes) {
        const [left, top, right, bottom] = box.map((side) => Math.round(side * scale)) as [
          number,
          number,
          number,
          number,
        ];
        const part = canvasLibrary().createCanvas(Math.max(1, right - left), Math.max(1, bottom - top));
        // Pixels, since a canvas that is drawn on another is copied as a whole each time.
        const pixels = drawing.context.getImageData(left, top, part.width, part.height);
        part.getContext("2d").putImageData(pixels, 0, 0);
        cuttings.push(await asJpeg(part, maxPixels));
      }
      return cuttings;
    } finally {
      this.#factory.destroy(drawing);
      page.cleanup();
    }
  }

  async figures(number: number): Promise<readonly Box[]> {
    return pageFigures(await this.#document.getPage(number));
  }

  async ink(number: number): Promise<PageInk> {
    return pageInk(await this.#document.getPage(number));
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
