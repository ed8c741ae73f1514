import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { readText } from "../shared/charset/read-text.js";
import { imageOptions } from "../shared/html/find-picture.js";
import { frontMatter } from "../shared/markup/front-matter.js";

/** Markdown (GitHub flavour); front matter becomes metadata. */
export const markdownParser: Parser = {
  name: "markdown",
  mimeTypes: ["text/markdown", "text/x-markdown"],
  extensions: ["md", "markdown", "mdx", "mkd"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { markdownToBlocks } = await import("../shared/markup/markdown-to-blocks.js");
    const { metadata, body } = frontMatter((await readText(file.bytes)).text);
    const list = new BlockList();
    const warnings: string[] = [];
    const mark = list.blocks.length;
    try {
      markdownToBlocks(list, body, imageOptions(options));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      list.blocks.length = mark;
      for (const paragraph of body.split(/\n\s*\n/)) list.add("paragraph", paragraph.trim());
      warnings.push("The Markdown is nested too deeply to be read; it was kept as plain text.");
    }
    const title = metadata.title;
    return {
      blocks: list.blocks,
      title: typeof title === "string" && title !== "" ? title : firstHeading(list.blocks),
      mimeType: "text/markdown",
      pages: null,
      metadata,
      warnings,
    };
  },
};
