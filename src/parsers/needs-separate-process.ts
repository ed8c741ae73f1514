import type { SourceFile } from "../interfaces/parser.js";
import { normalizedMimeType } from "./file-type.js";

/** The number of bytes at the start of a file that are checked for signatures. */
const CHECKED_BYTES = 1024;
const IMAGE_SIGNATURES = ["\x89PNG", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "BM"];
/** The first bytes of Outlook messages and of Office files from before 2007. */
const COMPOUND_FILE_SIGNATURE = "\xd0\xcf\x11\xe0";
/** The first bytes of Office files and e-books, which can decompress to a thousand times their size. */
const ZIP_SIGNATURE = "PK";

/** Extensions of messages, which can have attachments of any type. */
const MESSAGE_EXTENSION_PATTERN = /\.(?:eml|emlx|mbox|mht|mhtml)$/i;
const MESSAGE_TYPES = ["message/rfc822", "application/mbox", "multipart/related"];

/**
 * Returns whether a file must be parsed in a separate process because its parser can crash or exhaust the memory: PDF
 * (fonts, images, damaged object tables), images (native decoders), archives, compound files (circular sector chains),
 * and messages, which can have any of them attached. Checks only the name, the declared type and the first bytes. A
 * false positive costs only the round trip to the process.
 */
export function needsSeparateProcess({ name, mimeType, bytes }: SourceFile): boolean {
  if (MESSAGE_EXTENSION_PATTERN.test(name ?? "") || MESSAGE_TYPES.includes(normalizedMimeType(mimeType) ?? ""))
    return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(CHECKED_BYTES, bytes.length)).toString("latin1");
  if (head.includes("%PDF-")) return true;
  const signatures = [...IMAGE_SIGNATURES, COMPOUND_FILE_SIGNATURE, ZIP_SIGNATURE];
  return (
    signatures.some((signature) => head.startsWith(signature)) ||
    (head.startsWith("RIFF") && head.startsWith("WEBP", 8))
  );
}
