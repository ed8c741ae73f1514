import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../../../errors.js";
import type { Block } from "../../../interfaces/block.js";
import type { ParsedDocument, ParseOptions } from "../../../interfaces/parser.js";
import { MAX_SHOWN_PIXELS } from "../../image/prepare-image.js";
import { PARSE_LIMITS } from "../../limits.js";
import { reasonSuffix } from "../../shared/errors/file-errors.js";
import { showsImagesToModel } from "../../shared/html/image-options.js";
import type { Box } from "../page/frame.js";
import { pageList } from "../page/page-list.js";
import { PageRenderer } from "./page-renderer.js";

/** Margin around a table's image, in points. */
const TABLE_MARGIN = 8;
/** Maximum share of the parse time limit. */
const MAX_TIME_SHARE = 0.15;

/**
 * Returns the blocks of a PDF with images for a language model: bitmap figures as blocks at their position, and images
 * of the tables. Scanned pages are images as a whole and have no figures.
 */
export async function withImages(
  read: readonly Block[],
  bytes: Uint8Array,
  { pages, options }: { readonly pages: number; readonly options: ParseOptions },
): Promise<Pick<ParsedDocument, "blocks" | "warnings">> {
  const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY) * MAX_TIME_SHARE;
  const scans = new Set(read.flatMap(({ origin, page }) => (origin === "ocr" && page !== undefined ? [page] : [])));
  const blocks = [...read];
  const warnings: string[] = [];
  const skippedPages: number[] = [];
  const cropHashes = new Set<string>();
  options.onProgress?.();
  let renderer: PageRenderer;
  try {
    renderer = await PageRenderer.open(bytes, options.signal);
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "unsupported")) throw error;
    return { blocks, warnings: [`Images and tables were not shown to the language model. ${error.message}`] };
  }
  try {
    for (let page = 1; page <= pages; page++) {
      options.signal?.throwIfAborted();
      if (performance.now() > deadline || cropHashes.size >= PARSE_LIMITS.maxQuestions) {
        skippedPages.push(page);
        continue;
      }
      try {
        const tables = blocks.filter((block) => block.kind === "table" && block.page === page && block.bbox);
        const figures = scans.has(page) || !showsImagesToModel(options) ? [] : await renderer.figures(page);
        if (tables.length + figures.length === 0) continue;
        const boxes = [...tables.map(({ bbox }) => withMargin(bbox!)), ...figures];
        const crops = await renderer.crops(page, boxes, MAX_SHOWN_PIXELS);
        options.onProgress?.();
        for (const crop of crops) cropHashes.add(createHash("sha256").update(crop).digest("base64"));
        for (const [index, table] of tables.entries())
          blocks[blocks.indexOf(table)] = { ...table, readImage: () => crops[index]! };
        for (const [index, box] of figures.entries()) {
          const readImage = () => crops[tables.length + index]!;
          const at = findInsertionIndex(blocks, page, box);
          const headingPath = headingPathAt(blocks, at);
          blocks.splice(at, 0, { kind: "image", text: "", headingPath, page, bbox: box, origin: "native", readImage });
        }
      } catch (error) {
        options.signal?.throwIfAborted();
        warnings.push(`${pageList([page])}: the images and tables could not be rendered${reasonSuffix(error)}`);
      }
    }
  } finally {
    await renderer.close();
  }
  if (skippedPages.length > 0) {
    const limit = performance.now() > deadline ? "time limit" : `limit of ${PARSE_LIMITS.maxQuestions} images`;
    warnings.push(`${pageList(skippedPages)}: images and tables were skipped: the ${limit} was reached.`);
  }
  return { blocks, warnings };
}

/** Adds a margin to the box of a table, which encloses its words but not its ruling lines and descenders. */
function withMargin([left, top, right, bottom]: Box): Box {
  return [left - TABLE_MARGIN, top - TABLE_MARGIN, right + TABLE_MARGIN, bottom + TABLE_MARGIN];
}

/** Returns the index of the first block below the figure in the same column; otherwise of the end of the page. */
function findInsertionIndex(blocks: readonly Block[], page: number, [left, , right, bottom]: Box): number {
  const below = blocks.findIndex(({ bbox, ...block }) => {
    if (block.page !== page || !bbox || isFurniture(block)) return false;
    return bbox[1] >= bottom - 1 && bbox[0] < right && bbox[2] > left;
  });
  if (below !== -1) return below;
  const last = blocks.findLastIndex((block) => block.page !== undefined && block.page <= page && !isFurniture(block));
  return last + 1;
}

function isFurniture({ kind }: Pick<Block, "kind">): boolean {
  return kind === "page_header" || kind === "page_footer";
}

function headingPathAt(blocks: readonly Block[], at: number): readonly string[] {
  const previous = blocks[at - 1];
  if (previous === undefined) return [];
  return previous.kind === "heading" ? [...previous.headingPath, previous.text] : previous.headingPath;
}
