import { stripVTControlCharacters } from "node:util";
import type { BlockList } from "../shared/blocks/block-list.js";
import { htmlToBlocks } from "../shared/html/html-to-blocks.js";
import { parseHtml } from "../shared/html/html-tree.js";
import type { ImageOptions } from "../shared/html/image-options.js";
import { markdownToBlocks } from "../shared/markup/markdown-to-blocks.js";
import type { Notebook, Output } from "./read.js";

/**
 * Adds a notebook's cells in order, with the images in their outputs if the options ask for them.
 *
 * @returns How many images and charts have no text and were skipped.
 */
export function notebookToBlocks(list: BlockList, notebook: Notebook, options: ImageOptions) {
  const skippedCounts = { image: 0, chart: 0 };
  for (const { kind, source, level, outputs } of notebook.cells) {
    if (kind === "heading") list.heading(level, source);
    else if (kind === "markdown") markdownToBlocks(list, source, options);
    else if (kind === "raw") list.addMarkdown("paragraph", source.trim());
    else list.add("code", source.replace(/^\n+|\s+$/g, ""), languageOf(source, notebook.language));
    for (const output of outputs)
      if (!addOutput(list, output, options) && output.figure !== null) skippedCounts[output.figure]++;
  }
  return skippedCounts;
}

/** Returns the language of a cell. A magic command at its start can name another language than that of the notebook. */
function languageOf(source: string, language: string | null): { language?: string } {
  const magic = /^%%(bash|sh|sql|html|javascript|js|perl|ruby|latex|markdown|R)\b/.exec(source)?.[1];
  const name = magic ?? language;
  return name === null ? {} : { language: name };
}

/** Adds the richest form of an output, and its image. Returns false if it is a figure of which nothing was added. */
function addOutput(list: BlockList, output: Output, options: ImageOptions): boolean {
  const isComplete = addText(list, output, options);
  const { image } = output;
  if (image === null || !options.findImage) return isComplete;
  list.add("image", "", { readImage: () => Buffer.from(image, "base64") });
  return true;
}

/** Adds the richest text of an output. Returns false if it is a figure without text. */
function addText(list: BlockList, { texts, isStream, figure }: Output, options: ImageOptions): boolean {
  const markdown = texts.get("text/markdown");
  const html = texts.get("text/html");
  const latex = texts.get("text/latex");
  const plain = stripVTControlCharacters(texts.get("text/plain") ?? "").replace(/^\n+|\s+$/g, "");
  const blockCount = list.blocks.length;
  if (markdown !== undefined && !isStream) markdownToBlocks(list, markdown, options);
  else if (html !== undefined && !isStream) htmlToBlocks(list, parseHtml(html), options);
  else if (latex !== undefined && !isStream) list.add("formula", latex.trim());
  if (list.blocks.length > blockCount) return true;
  // A text such as `<Figure size 640x480 with 1 Axes>` only stands for the figure.
  if (figure !== null && /^<[^<>]*>$/.test(plain)) return false;
  list.add("code", plain);
  return plain !== "" || figure === null;
}
