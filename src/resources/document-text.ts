import type { z } from "zod";
import type { Engine } from "../engine/engine.js";
import { reportDamagedText } from "../engine/report-damage.js";
import type { ReadOptions, TextRange } from "../types.js";
import { documentTextSchema } from "../validation/document-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { type ChunkedDocument, changedError, requirePublished } from "./published-chunks.js";

export interface DocumentTextOptions extends ReadOptions {
  /** The first and last page to return, counted from 1. @default all */
  readonly pages?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
  /** Returns only this part of the requested pages, in characters of the whole text. @default all */
  readonly range?: TextRange | undefined;
}

/** The parsed text of a document, or of some of its pages. Ranges of chunks refer to the text of all pages. */
export interface DocumentText {
  /** The text of the requested pages, or only the part that `range` requests. */
  readonly text: string;
  /**
   * The requested pages that overlap `range`, with their ranges in the whole text. A document in a format without pages
   * has a single page.
   */
  readonly pages: readonly (TextRange & { readonly page: number })[];
}

/** The length of the separator between blocks, which also separates pages. */
const SEPARATOR_LENGTH = 2;
const WHOLE: TextRange = { start: 0, end: Number.POSITIVE_INFINITY };

/**
 * Reads the text of a document. Reads only the stored pieces that the requested pages need.
 * @throws KnowledgeBaseError `invalid_input`, `not_ready` (also if the text is damaged), or `conflict` (retryable) if the text is removed during the
 * read
 */
export async function readDocumentText(
  engine: Engine,
  document: ChunkedDocument & { readonly totalCharacters: number },
  options: DocumentTextOptions,
): Promise<DocumentText> {
  const { signal, principals: _, ...input } = options;
  const { pages: requestedPages, range = WHOLE } = parseInput(documentTextSchema, input);
  requirePublished(document);
  if (document.totalCharacters === 0)
    return { text: "", pages: selectPages([{ page: 1, start: 0, end: 0 }], requestedPages) };
  const starts = await readPageStarts(engine, document);
  const selected = selectPages(
    starts.map((start, index) => {
      const end = index === starts.length - 1 ? document.totalCharacters : starts[index + 1]! - SEPARATOR_LENGTH;
      const bounded = Math.min(start, document.totalCharacters);
      return { page: index + 1, start: bounded, end: Math.max(bounded, end) };
    }),
    requestedPages,
  );
  const [first] = selected;
  const last = selected.at(-1);
  signal?.throwIfAborted();
  if (!first || !last) return { text: "", pages: [] };
  const start = Math.max(first.start, range.start);
  const end = Math.max(start, Math.min(last.end, range.end));
  const pages = selected.filter((page) => page.start <= range.end && page.end >= range.start);
  return { text: await readText(engine, document, { start, end }), pages };
}

function selectPages<Page extends { readonly page: number }>(
  pages: readonly Page[],
  { from = 1, to = Number.POSITIVE_INFINITY }: NonNullable<z.output<typeof documentTextSchema>["pages"]> = {},
): readonly Page[] {
  return pages.filter(({ page }) => page >= from && page <= to);
}

async function readPageStarts(engine: Engine, document: ChunkedDocument): Promise<readonly number[]> {
  const { seq: documentSeq, generation } = document;
  const starts = await engine.storage.documents.getPageStarts({ documentSeq, generation });
  if (!starts) throw changedError(document.id);
  if (starts === "damaged") throw reportDamagedText(engine, document);
  return starts;
}

async function readText(engine: Engine, document: ChunkedDocument, { start, end }: TextRange): Promise<string> {
  if (start === end) return "";
  const { seq: documentSeq, generation } = document;
  const pieces = await engine.storage.documents.listTextParts({ documentSeq, generation, start, end });
  let text = "";
  let next = pieces[0]?.start ?? 0;
  for (const piece of pieces) {
    if (piece.start !== next) throw changedError(document.id);
    if (piece.isDamaged) throw reportDamagedText(engine, document);
    text += piece.text.slice(Math.max(0, start - next), end - next);
    next = piece.end;
  }
  if (text.length !== end - start) throw changedError(document.id);
  return text;
}
