import type { SourceFile } from "../interfaces/parser.js";

const HEAD_BYTES = 1024;
const PICTURES = ["\x89PNG", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "BM"];
/** Outlook messages and Office files of before 2007. */
const COMPOUND_FILE = "\xd0\xcf\x11\xe0";
/** Office files, books: a thousand times larger once they are inflated. */
const ZIP = "PK";

/** Messages carry files of any kind. */
const CONTAINERS = /\.(?:eml|emlx|mbox|mht|mhtml)$/i;
const CONTAINER_TYPES = ["message/rfc822", "application/mbox", "multipart/related"];

/**
 * Whether a file is read by code that can crash a process or fill its memory: PDF (fonts, images, damaged object
 * tables), pictures, which native code decodes, archives, compound files, whose tables of sectors may lead anywhere,
 * and messages, to which any of these may be attached. Looked at by its name and its first bytes only; what claims to
 * be one and is none costs nothing but the way.
 */
export function needsProcess({ name, mimeType, bytes }: SourceFile): boolean {
  if (CONTAINERS.test(name ?? "") || CONTAINER_TYPES.includes(mimeType?.split(";")[0]?.trim().toLowerCase() ?? ""))
    return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEAD_BYTES, bytes.length)).toString("latin1");
  if (head.includes("%PDF-")) return true;
  const magics = [...PICTURES, COMPOUND_FILE, ZIP];
  return magics.some((magic) => head.startsWith(magic)) || (head.startsWith("RIFF") && head.startsWith("WEBP", 8));
}
