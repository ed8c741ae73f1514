import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { decodeText } from "../shared/charset/decode-text.js";
import { readText } from "../shared/charset/read-text.js";
import { parseXml } from "../shared/xml/parse-xml.js";
import { feedToBlocks, isFeed } from "./feed-to-blocks.js";
import { xmlToBlocks } from "./to-blocks.js";

const TYPES = ["application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml"];

/** Parses XML of any vocabulary by element names, and feeds (RSS, Atom) by their entries. */
export const xmlParser: Parser = {
  name: "xml",
  mimeTypes: TYPES,
  extensions: ["xml", "rss", "atom", "rdf"],
  supportedOptions: PAGELESS_OPTIONS,
  detect: (head) => /^\s*<(?:\?xml\s|rss[\s>]|feed\s|rdf:RDF[\s>])/.test(decodeText(head).text),
  async parse(file, options) {
    const { text } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    const root = parseXml(file.name, text);
    options.signal?.throwIfAborted();
    const list = new BlockList();
    if (isFeed(root)) {
      const addsImages = options.config?.disableImageExtraction !== true;
      return { blocks: list.blocks, pages: null, warnings: [], ...(await feedToBlocks(list, root, addsImages)) };
    }
    xmlToBlocks(list, root);
    const mimeType = TYPES.includes(file.mimeType ?? "") ? file.mimeType! : TYPES[0]!;
    return pagelessDocument(list.blocks, mimeType);
  },
};
