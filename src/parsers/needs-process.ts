import type { SourceFile } from "../interfaces/parser.js";
import { mediaTypeOf } from "./file-type.js";

const HEAD_BYTES = 1024;
const IMAGES = ["\x89PNG", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "BM"];
/** Outlook messages and Office files before 2007. */
const COMPOUND_FILE = "\xd0\xcf\x11\xe0";
/** Office files and books, which may inflate to a thousand times their size. */
const ZIP = "PK";

/** Messages may have attachments of any type. */
const CONTAINERS = /\.(?:eml|emlx|mbox|mht|mhtml)$/i;
const CONTAINER_TYPES = ["message/rfc822", "application/mbox", "multipart/related"];

/**
 * Whether a file is parsed by code that can crash a process or exhaust its memory: PDF (fonts, images, damaged object
 * tables), images (native decoders), archives, compound files (circular sector chains), and messages, which may have
 * any of these attached. Checks only the name and the first bytes: a false positive only costs the round trip to a
 * process.
 */
export function needsProcess({ name, mimeType, bytes }: SourceFile): boolean {
  if (CONTAINERS.test(name ?? "") || CONTAINER_TYPES.includes(mediaTypeOf(mimeType) ?? "")) return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEAD_BYTES, bytes.length)).toString("latin1");
  if (head.includes("%PDF-")) return true;
  const magics = [...IMAGES, COMPOUND_FILE, ZIP];
  return magics.some((magic) => head.startsWith(magic)) || (head.startsWith("RIFF") && head.startsWith("WEBP", 8));
}
