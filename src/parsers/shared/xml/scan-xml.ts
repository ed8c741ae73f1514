import { setImmediate } from "node:timers/promises";
import { tokenizeXml, type XmlHandler } from "./tokenize-xml.js";
import { localName } from "./xml-tree.js";

/** What {@link scanXml} reports, in document order. Names come without their prefix. */
export type XmlScanHandler = Omit<XmlHandler, "doctype">;

const PIECE_BYTES = 1024 * 1024;
/** Markup longer than this is treated as never ending. */
const MAX_MARKUP = 64 * 1024 * 1024;

/**
 * Reads XML piece by piece, for parts that would fill the memory as a tree.
 *
 * @throws an error for markup that never ends, a tag without a name, and a DOCTYPE
 */
export async function scanXml(
  bytes: Uint8Array,
  handler: XmlScanHandler,
  signal: AbortSignal | undefined,
): Promise<void> {
  const decoder = new TextDecoder(charsetOf(bytes));
  const checked = withLocalNames(handler);
  let rest = "";
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    rest += decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true });
    rest = rest.slice(tokenizeXml(rest, checked));
    if (rest.length > MAX_MARKUP) throw new Error("markup without end");
    await setImmediate();
    signal?.throwIfAborted();
  }
  if (rest.includes("<")) throw new Error("markup without end");
}

function withLocalNames(handler: XmlScanHandler): XmlHandler {
  return {
    open(name, attributes) {
      if (name === "") throw new Error("a tag without a name");
      handler.open(localName(name), attributes);
    },
    close: (name) => handler.close(localName(name)),
    text: (text) => handler.text(text),
    doctype() {
      throw new Error("a document type");
    },
  };
}

function charsetOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
