import type { z } from "zod";
import type { Engine } from "../engine/engine.js";
import type { CallOptions, TextRange } from "../types.js";
import { documentTextSchema } from "../validation/document-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { type ChunkedDocument, changed, requireCompleted } from "./published-chunks.js";

export interface DocumentTextOptions extends CallOptions {
  /** First and last page, from 1, inclusive. @default all */
  readonly pages?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
}

/** The parsed text of a document. The ranges of its chunks refer to the text of all its pages. */
export interface DocumentText {
  /** The text of the requested pages. */
  readonly text: string;
  /** The requested pages with their ranges in the whole text; a single page if the format has none. */
  readonly pages: readonly (TextRange & { readonly page: number })[];
}

/** The separator of blocks, and so of pages. */
const GAP = 2;

/**
 * Reads no more than the pieces of the text that the pages need.
 * @throws KnowledgeBaseError `not_ready`, or `conflict` (retryable) where the text is removed while it is being read
 */
export async function readDocumentText(
  engine: Engine,
  document: ChunkedDocument & { readonly totalCharacters: number },
  options: DocumentTextOptions,
): Promise<DocumentText> {
  const { signal, ...input } = options;
  const { pages: wanted } = parseInput(documentTextSchema, input);
  requireCompleted(document);
  if (document.totalCharacters === 0) return { text: "", pages: inRange([{ page: 1, start: 0, end: 0 }], wanted) };
  const starts = await pageStarts(engine, document);
  const pages = inRange(
    starts.map((start, index) => {
      const end = index === starts.length - 1 ? document.totalCharacters : starts[index + 1]! - GAP;
      const bounded = Math.min(start, document.totalCharacters);
      return { page: index + 1, start: bounded, end: Math.max(bounded, end) };
    }),
    wanted,
  );
  const [first] = pages;
  const last = pages.at(-1);
  signal?.throwIfAborted();
  return {
    text: first && last ? await textWithin(engine, document, { start: first.start, end: last.end }) : "",
    pages,
  };
}

function inRange<Numbered extends { readonly page: number }>(
  pages: readonly Numbered[],
  { from = 1, to = Number.POSITIVE_INFINITY }: NonNullable<z.output<typeof documentTextSchema>["pages"]> = {},
): readonly Numbered[] {
  return pages.filter(({ page }) => page >= from && page <= to);
}

async function pageStarts(engine: Engine, document: ChunkedDocument): Promise<readonly number[]> {
  const { seq: documentSeq, generation } = document;
  const starts = await engine.storage.documents.pages({ documentSeq, generation });
  if (!starts) throw changed(document.id);
  return starts;
}

async function textWithin(engine: Engine, document: ChunkedDocument, { start, end }: TextRange): Promise<string> {
  if (start === end) return "";
  const { seq: documentSeq, generation } = document;
  const pieces = await engine.storage.documents.text({ documentSeq, generation, start, end });
  let text = "";
  let next = pieces[0]?.start ?? 0;
  for (const piece of pieces) {
    if (piece.start !== next) throw changed(document.id);
    text += piece.text.slice(Math.max(0, start - next), end - next);
    next = piece.end;
  }
  if (text.length !== end - start) throw changed(document.id);
  return text;
}
