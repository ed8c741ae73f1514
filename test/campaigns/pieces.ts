import { randomBytes } from "node:crypto";
import type { Chunker, Parser } from "lorebase";
import type { Random } from "./random.js";

// Documents of the campaign: numbered pieces, each a chunk of its own, so that a stored chunk tells to which document it belongs, how
// many there must be, and in which run of the chunker it was made.

/** A document by the word that all its pieces share and no other document has. */
export interface PlannedDocument {
  readonly marker: string;
  readonly pieces: number;
}

/** What a stored chunk says of itself. */
export interface Piece extends PlannedDocument {
  readonly index: number;
  /** The same in all chunks of one run of the chunker, and in no others. */
  readonly stamp: string;
}

const WORDS = ["harbour", "lantern", "ledger", "meadow", "orchard", "quarry", "signal", "tunnel", "valley", "winter"];

export function planDocument(random: Random, name: string, pieces = random.integer(1, 24)): PlannedDocument {
  return { marker: `${name}n${random.integer(0, 1e9)}`, pieces };
}

export function textOf({ marker, pieces }: PlannedDocument, random: Random): string {
  const words = () => Array.from({ length: 12 }, () => random.pick(WORDS)).join(" ");
  return Array.from({ length: pieces }, (_, index) => `${marker} piece ${index} of ${pieces}: ${words()}`).join("\n\n");
}

export function readPiece(text: string): Piece {
  const found = /^(\w+) piece (\d+) of (\d+): .* stamp (\w+)$/s.exec(text);
  if (!found) throw new Error(`Not a chunk of the campaign: ${JSON.stringify(text)}`);
  return { marker: found[1]!, index: Number(found[2]), pieces: Number(found[3]), stamp: found[4]! };
}

/** One chunk a block. Every run stamps its chunks anew, so that two generations of a document never have the same text. */
export const stampingChunker: Chunker = {
  name: "stamping",
  async chunk(blocks) {
    const stamp = randomBytes(8).toString("hex");
    let end = 0;
    return blocks.map((block) => {
      const start = end;
      end += block.text.length;
      const text = `${block.text} stamp ${stamp}`;
      return { text, indexText: text, headings: [], page: null, tokens: 1, start, end };
    });
  },
};

/** The number of pages that are published before the others. */
const FIRST_PAGES = 4;

const SIGNATURE = "%PAGES\n";

/** A file whose pieces are pages. */
export function toPages(text: string): Uint8Array {
  return new TextEncoder().encode(SIGNATURE + text);
}

/** Reads the pages of {@link toPages}. The first are read alone if there are more: see `ParseOptions.firstPages`. */
export const pagedParser: Parser = {
  name: "pages",
  mimeTypes: ["application/x-pages"],
  extensions: ["pages"],
  supportedOptions: [],
  detect: (head) => new TextDecoder().decode(head).startsWith(SIGNATURE),
  async parse({ bytes }, { firstPages = false }) {
    const pages = new TextDecoder().decode(bytes).slice(SIGNATURE.length).split("\n\n");
    const isPartial = firstPages && pages.length > FIRST_PAGES;
    const read = isPartial ? pages.slice(0, FIRST_PAGES) : pages;
    return {
      blocks: read.map((text, index) => ({
        kind: "paragraph",
        text,
        headingPath: [],
        page: index + 1,
        origin: "native",
      })),
      ...{ title: null, mimeType: "application/x-pages", pages: pages.length, metadata: {}, warnings: [] },
      ...(isPartial ? { readPages: FIRST_PAGES } : {}),
    };
  },
};

/** What is wrong with the pieces that a reader got of one document, if anything. */
export function faultsOf(pieces: readonly Piece[], whole: boolean): readonly string[] {
  const faults: string[] = [];
  const stamps = new Set(pieces.map(({ stamp }) => stamp));
  if (stamps.size > 1) faults.push(`mixed: ${stamps.size} generations of ${pieces[0]!.marker} at once`);
  const indexes = pieces.map(({ index }) => index).sort((a, b) => a - b);
  if (new Set(indexes).size < indexes.length)
    faults.push(`doubled: pieces ${indexes.join(" ")} of ${pieces[0]!.marker}`);
  const [first] = pieces;
  if (whole && first && indexes.length < first.pieces) {
    faults.push(`missing: ${indexes.length} of ${first.pieces} pieces of ${first.marker}`);
  }
  return faults;
}
