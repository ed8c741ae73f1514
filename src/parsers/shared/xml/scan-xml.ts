import { setImmediate } from "node:timers/promises";
import { tokenizeXml, type XmlHandler } from "./tokenize-xml.js";
import { localName } from "./xml-tree.js";

/** Receives the tokens of {@link scanXml}, in document order. Names have no prefix. */
export type XmlScanHandler = Omit<XmlHandler, "doctype">;

const PIECE_BYTES = 1024 * 1024;
/** Longer markup is treated as incomplete. */
const MAX_MARKUP = 64 * 1024 * 1024;

/**
 * Reads XML piece by piece, for parts that are too large to be read as a tree.
 *
 * @throws an error for incomplete markup, a tag without a name, and a DOCTYPE
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
    if (rest.length > MAX_MARKUP) throw new Error("incomplete markup");
    await setImmediate();
    signal?.throwIfAborted();
  }
  if (rest.includes("<")) throw new Error("incomplete markup");
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
      throw new Error("a document type declaration");
    },
  };
}

function charsetOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
