import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { type Picture, rasterOf } from "../ocr/raster.js";
import { loadPdfjsWithWorker } from "./load-pdfjs.js";
import { type PageInk, pageInk } from "./page-ink.js";

/** Larger pictures are left out of a page. */
const MAX_IMAGE_PIXELS = 120e6;

type RenderParameters = Parameters<PDFPageProxy["render"]>[0];

interface Drawing {
  readonly canvas: RenderParameters["canvas"];
  readonly context: RenderParameters["canvasContext"] & {
    imageSmoothingQuality: string;
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}

/** A PDF opened for drawing: what is opened for reading leaves out pictures and the outlines of letters. */
export class PageDrawer {
  readonly #document: PDFDocumentProxy;

  private constructor(document: PDFDocumentProxy) {
    this.#document = document;
  }

  /** @param bytes Of a file that can be opened for reading. */
  static async open(bytes: Uint8Array): Promise<PageDrawer> {
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
    const factory = this.#document.canvasFactory as {
      create(width: number, height: number): Drawing;
      destroy(drawing: Drawing): void;
    };
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
          return rasterOf(canvasContext.getImageData(0, 0, across, down).data, across, down);
        } finally {
          factory.destroy(drawing);
          page.cleanup();
        }
      },
    };
  }

  async ink(number: number): Promise<PageInk> {
    return pageInk(await this.#document.getPage(number));
  }

  async close(): Promise<void> {
    await this.#document.loadingTask.destroy();
  }
}
