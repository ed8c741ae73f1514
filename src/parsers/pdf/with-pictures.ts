import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../../errors.js";
import type { Block } from "../../interfaces/block.js";
import type { ParseOptions } from "../../interfaces/parser.js";
import { MAX_SHOWN_PIXELS } from "../image/shown-picture.js";
import { PARSE_LIMITS } from "../limits.js";
import { reasonOf } from "../shared/errors/file-errors.js";
import { showsPictures } from "../shared/html/find-picture.js";
import { PageDrawer } from "./draw-pages.js";
import type { Box } from "./frame.js";
import { pageList } from "./page-list.js";

/** Points around a table that are shown with it. */
const MARGIN = 8;
/** Of the time that parsing may take. */
const SHARE_OF_TIME = 0.15;

interface WithPictures {
  readonly blocks: readonly Block[];
  readonly warnings: readonly string[];
}

/**
 * Blocks of a PDF with what a language model is to be shown of it: its figures that are made of pixels, as blocks where they stand, and
 * the places of tables. Pages that were read by recognition are figures through and through, and have none of their own.
 */
export async function withPictures(
  read: readonly Block[],
  bytes: Uint8Array,
  { pages, options }: { readonly pages: number; readonly options: ParseOptions },
): Promise<WithPictures> {
  const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY) * SHARE_OF_TIME;
  const scans = new Set(read.flatMap(({ origin, page }) => (origin === "ocr" && page !== undefined ? [page] : [])));
  const blocks = [...read];
  const warnings: string[] = [];
  const late: number[] = [];
  const shown = new Set<string>();
  options.onProgress?.();
  let drawer: PageDrawer;
  try {
    drawer = await PageDrawer.open(bytes);
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "unsupported")) throw error;
    return { blocks, warnings: [`Pictures and tables were not shown to the language model. ${error.message}`] };
  }
  try {
    for (let page = 1; page <= pages; page++) {
      options.signal?.throwIfAborted();
      if (performance.now() > deadline || shown.size >= PARSE_LIMITS.maxQuestions) {
        late.push(page);
        continue;
      }
      try {
        const tables = blocks.filter((block) => block.kind === "table" && block.page === page && block.bbox);
        const figures = scans.has(page) || !showsPictures(options) ? [] : await drawer.figures(page);
        if (tables.length + figures.length === 0) continue;
        const boxes = [...tables.map(({ bbox }) => withMargin(bbox!)), ...figures];
        const cuttings = await drawer.cuttings(page, boxes, MAX_SHOWN_PIXELS);
        options.onProgress?.();
        for (const cutting of cuttings) shown.add(createHash("sha256").update(cutting).digest("base64"));
        for (const [index, table] of tables.entries())
          blocks[blocks.indexOf(table)] = { ...table, picture: () => cuttings[index]! };
        for (const [index, box] of figures.entries()) {
          const picture = () => cuttings[tables.length + index]!;
          const at = placeOf(blocks, page, box);
          const headingPath = pathAt(blocks, at);
          blocks.splice(at, 0, { kind: "image", text: "", headingPath, page, bbox: box, origin: "native", picture });
        }
      } catch (error) {
        options.signal?.throwIfAborted();
        warnings.push(`The pictures of ${pageList([page])} could not be drawn${reasonOf(error)}`);
      }
    }
  } finally {
    await drawer.close();
  }
  if (late.length > 0) {
    const cause = performance.now() > deadline ? "for want of time" : `which are beyond the first ${shown.size}`;
    warnings.push(`${pageList(late)}: pictures and tables were not looked for, ${cause}.`);
  }
  return { blocks, warnings };
}

/** The box of a table is that of its words: rules and the tails of letters are beyond it. */
function withMargin([left, top, right, bottom]: Box): Box {
  return [left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN];
}

/** Before the first text of the page that stands below the figure in the same column, else behind all that the page has. */
function placeOf(blocks: readonly Block[], page: number, [left, , right, bottom]: Box): number {
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

function pathAt(blocks: readonly Block[], at: number): readonly string[] {
  const above = blocks[at - 1];
  if (above === undefined) return [];
  return above.kind === "heading" ? [...above.headingPath, above.text] : above.headingPath;
}
