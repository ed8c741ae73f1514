import type { Parser } from "../../../interfaces/parser.js";
import type { Metadata } from "../../../types.js";
import { PAGELESS_OPTIONS } from "../../pageless-options.js";
import { BlockList } from "../blocks/block-list.js";
import { pagelessDocument } from "../blocks/pageless-document.js";
import { readText } from "../charset/read-text.js";

interface MarkupProperties {
  readonly title?: string | undefined;
  readonly metadata: Metadata;
  /** Files that the text includes, which are never read: each becomes a warning. */
  readonly includes: readonly string[];
}

interface MarkupFormat extends Pick<Parser, "name" | "mimeTypes" | "extensions"> {
  /** Adds the blocks of a text, with its images if `addsImages` is true. */
  read(list: BlockList, text: string, addsImages: boolean): Promise<MarkupProperties>;
}

/** Creates a parser of a markup language whose files can include other files. */
export function markupParser({ read, ...format }: MarkupFormat): Parser {
  return {
    ...format,
    supportedOptions: PAGELESS_OPTIONS,
    async parse(file, options) {
      const { text } = await readText(file.bytes);
      options.signal?.throwIfAborted();
      const list = new BlockList();
      const { title, metadata, includes } = await read(list, text, options.config?.disableImageExtraction !== true);
      const warnings = includes.map((name) => `"${name}" is included by the file and was not read.`);
      return pagelessDocument(list.blocks, format.mimeTypes[0]!, { title, metadata, warnings });
    },
  };
}
