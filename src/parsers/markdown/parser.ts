import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { readText } from "../shared/charset/read-text.js";
import { imageOptions } from "../shared/html/image-options.js";
import { splitFrontMatter } from "../shared/markup/front-matter.js";

/** Parses GitHub Flavored Markdown. Front matter becomes metadata. */
export const markdownParser: Parser = {
  name: "markdown",
  mimeTypes: ["text/markdown", "text/x-markdown"],
  extensions: ["md", "markdown", "mdx", "mkd"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { markdownToBlocks } = await import("../shared/markup/markdown-to-blocks.js");
    const { metadata, body } = splitFrontMatter((await readText(file.bytes)).text);
    const list = new BlockList();
    const warnings: string[] = [];
    try {
      markdownToBlocks(list, body, imageOptions(options));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      list.blocks.length = 0;
      for (const paragraph of body.split(/\n\s*\n/)) list.addMarkdown("paragraph", paragraph.trim());
      warnings.push("The Markdown is nested too deeply to be parsed and was read as plain text.");
    }
    const title = typeof metadata.title === "string" && metadata.title !== "" ? metadata.title : null;
    return pagelessDocument(list.blocks, "text/markdown", { title, metadata, warnings });
  },
};
