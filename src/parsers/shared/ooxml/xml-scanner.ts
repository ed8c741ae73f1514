import { setImmediate } from "node:timers/promises";
import { xmlText } from "../xml/xml-text.js";

/** What a scan reports, in the order of the file. Names come without their prefix. */
export interface XmlHandler {
  /** @param attributes As they stand in the tag; see {@link attributeOf}. */
  open(name: string, attributes: string): void;
  close(name: string): void;
  /** Character data, entities resolved; one text may come in pieces. */
  text(text: string): void;
}

const PIECE_BYTES = 1024 * 1024;
/** Markup that has no end for so long is no markup. */
const MAX_TOKEN = 64 * 1024 * 1024;

const TAG = /<(\/?)([^\s/>"'<]+)([^"'<>]*(?:"[^"]*"[^"'<>]*|'[^']*'[^"'<>]*)*)>/y;

/**
 * Reads XML piece by piece, for parts that as a tree would fill the memory.
 *
 * @throws an error for markup that is not well-formed and for a document type.
 */
export async function scanXml(bytes: Uint8Array, handler: XmlHandler, signal: AbortSignal | undefined): Promise<void> {
  const decoder = new TextDecoder(charsetOf(bytes));
  let rest = "";
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    rest += decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true });
    rest = rest.slice(consume(rest, handler));
    if (rest.length > MAX_TOKEN) throw new Error("markup without end");
    await setImmediate();
    signal?.throwIfAborted();
  }
  if (rest.includes("<")) throw new Error("markup without end");
}

/** An attribute of a tag by its name as written; undefined where it is absent. */
export function attributeOf(attributes: string, name: string): string | undefined {
  let at = attributes.indexOf(`${name}=`);
  while (at > 0 && !/\s/.test(attributes[at - 1]!)) at = attributes.indexOf(`${name}=`, at + 1);
  if (at === -1) return undefined;
  const start = at + name.length + 2;
  return xmlText(attributes.slice(start, attributes.indexOf(attributes[start - 1]!, start)));
}

/** Reports what is complete; returns where the incomplete begins. */
function consume(xml: string, handler: XmlHandler): number {
  let at = 0;
  while (true) {
    const start = xml.indexOf("<", at);
    if (start === -1) return at;
    const end = markupEnd(xml, start);
    if (end === null) return at;
    if (start > at) handler.text(xmlText(xml.slice(at, start)));
    if (typeof end === "number") {
      if (xml.startsWith("<![CDATA[", start)) handler.text(xml.slice(start + 9, end - 3));
      at = end;
      continue;
    }
    const [tag, close, qualified, attributes] = end;
    const name = qualified!.slice(qualified!.indexOf(":") + 1);
    if (close === "/") handler.close(name);
    else {
      handler.open(name, attributes!);
      if (attributes!.endsWith("/")) handler.close(name);
    }
    at = start + tag.length;
  }
}

/** A tag as its parts, other markup as where it ends, null for what is incomplete. */
function markupEnd(xml: string, start: number): RegExpExecArray | number | null {
  const next = xml[start + 1];
  if (next === "?") return after(xml, "?>", start);
  if (next === "!") {
    if (xml.startsWith("<!--", start)) return after(xml, "-->", start);
    if (xml.startsWith("<![CDATA[", start)) return after(xml, "]]>", start);
    if (xml.startsWith("<!D", start)) throw new Error("a document type");
    return null;
  }
  TAG.lastIndex = start;
  return TAG.exec(xml);
}

function after(xml: string, mark: string, start: number): number | null {
  const at = xml.indexOf(mark, start);
  return at === -1 ? null : at + mark.length;
}

function charsetOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}
