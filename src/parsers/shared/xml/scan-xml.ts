import { setImmediate } from "node:timers/promises";
import { tokenizeXml, type XmlHandler } from "./tokenize-xml.js";
import { localName } from "./xml-tree.js";

/** Receives the tokens of {@link scanXml}, in document order. Names have no prefix. */
export type XmlScanHandler = Omit<XmlHandler, "doctype">;

const CHUNK_BYTES = 1024 * 1024;
/** Longer markup is treated as incomplete. */
const MAX_MARKUP_CHARACTERS = 64 * 1024 * 1024;
const INCOMPLETE_MARKUP = "The XML ends within a tag, comment or CDATA section.";

/**
 * Reads XML chunk by chunk, for parts too large to be read as a tree.
 *
 * @throws Error for incomplete markup, a tag without a name, and a DOCTYPE
 */
export async function scanXml(
  bytes: Uint8Array,
  handler: XmlScanHandler,
  signal: AbortSignal | undefined,
): Promise<void> {
  const decoder = new TextDecoder(charsetOf(bytes));
  const localHandler = withLocalNames(handler);
  let pending = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    pending += decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true });
    pending = pending.slice(tokenizeXml(pending, localHandler));
    if (pending.length > MAX_MARKUP_CHARACTERS) throw new Error(INCOMPLETE_MARKUP);
    await setImmediate();
    signal?.throwIfAborted();
  }
  if (pending.includes("<")) throw new Error(INCOMPLETE_MARKUP);
}

/** Returns a handler that removes the prefixes of names, and that rejects a DOCTYPE and a tag without a name. */
function withLocalNames(handler: XmlScanHandler): XmlHandler {
  return {
    open(name, attributes) {
      if (name === "") throw new Error("A tag has no name.");
      handler.open(localName(name), attributes);
    },
    close: (name) => handler.close(localName(name)),
    text: (text) => handler.text(text),
    doctype() {
      throw new Error("A document type declaration is not allowed.");
    },
  };
}

function charsetOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
