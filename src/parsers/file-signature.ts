import { KnowledgeBaseError } from "../errors.js";
import { CompoundFile } from "./shared/archive/compound-file.js";
import { ZipArchive } from "./shared/archive/zip-archive.js";

/** A file type detected from magic bytes. */
export interface FileSignature {
  readonly mimeType: string;
  /** The name of the type in messages, with its article, such as `a PNG image`. */
  readonly label: string;
}

/** A MIME type that is used only internally: none is registered for encrypted Office documents. */
export const ENCRYPTED_OFFICE_TYPE = "application/x-encrypted-office";

const OFFICE = "application/vnd.openxmlformats-officedocument.";

const SIGNATURES: readonly (readonly [magic: string, mimeType: string, label: string])[] = [
  ["{\\rtf", "application/rtf", "an RTF document"],
  ["\x89PNG\r\n\x1a\n", "image/png", "a PNG image"],
  ["\xff\xd8\xff", "image/jpeg", "a JPEG image"],
  ["GIF87a", "image/gif", "a GIF image"],
  ["GIF89a", "image/gif", "a GIF image"],
  ["II*\0", "image/tiff", "a TIFF image"],
  ["MM\0*", "image/tiff", "a TIFF image"],
  ["\x1f\x8b", "application/gzip", "a gzip archive"],
  ["7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "a 7-Zip archive"],
  ["Rar!\x1a\x07", "application/vnd.rar", "a RAR archive"],
  ["\xfd7zXZ\0", "application/x-xz", "an xz archive"],
  ["\x28\xb5\x2f\xfd", "application/zstd", "a Zstandard archive"],
  ["BZh", "application/x-bzip2", "a bzip2 archive"],
  ["SQLite format 3\0", "application/vnd.sqlite3", "an SQLite database"],
  ["\x7fELF", "application/x-executable", "a program"],
  ["MZ\x90\0", "application/vnd.microsoft.portable-executable", "a Windows program"],
  ["\0asm", "application/wasm", "a WebAssembly module"],
  ["ID3", "audio/mpeg", "an MP3 recording"],
  ["OggS", "audio/ogg", "an Ogg recording"],
  ["fLaC", "audio/flac", "a FLAC recording"],
  ["\x1aE\xdf\xa3", "video/webm", "a Matroska video"],
  ["%!PS", "application/postscript", "a PostScript file"],
  ["wOFF", "font/woff", "a font"],
  ["wOF2", "font/woff2", "a font"],
];

const ZIP_PARTS: readonly (readonly [prefix: string, mimeType: string, label: string])[] = [
  ["word/", `${OFFICE}wordprocessingml.document`, "a Word document"],
  ["xl/", `${OFFICE}spreadsheetml.sheet`, "an Excel workbook"],
  ["ppt/", `${OFFICE}presentationml.presentation`, "a PowerPoint presentation"],
];

const CFB_STREAMS: readonly (readonly [stream: string, mimeType: string, label: string])[] = [
  ["EncryptedPackage", ENCRYPTED_OFFICE_TYPE, "a password-protected Office document"],
  ["WordDocument", "application/msword", "a Word 97-2003 document"],
  ["Workbook", "application/vnd.ms-excel", "an Excel 97-2003 workbook"],
  ["Book", "application/vnd.ms-excel", "an Excel 95 workbook"],
  ["PowerPoint Document", "application/vnd.ms-powerpoint", "a PowerPoint 97-2003 presentation"],
  ["__properties_version1.0", "application/vnd.ms-outlook", "an Outlook message"],
];

/** Detects a file type by magic bytes. Returns `null` for text and for formats without magic bytes. */
export function detectSignature(name: string | null, bytes: Uint8Array): FileSignature | null {
  const head = latin1(bytes, 1024);
  // Other bytes may precede the PDF header within the first kilobyte. If letters precede it, the file is text that
  // mentions the header.
  if (/^[^\p{L}]{0,1019}%PDF-/u.test(head)) return { mimeType: "application/pdf", label: "a PDF" };
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) return zipSignature(name, bytes);
  if (head.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return cfbSignature(name, bytes);
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return { mimeType: "image/webp", label: "a WebP image" };
  if (head.startsWith("RIFF") && head.startsWith("WAVE", 8)) return { mimeType: "audio/wav", label: "a WAV recording" };
  if (head.startsWith("ftyp", 4)) return isoMediaSignature(head.slice(8, 12));
  if (head.startsWith("BM") && bytes.length > 26 && head.startsWith("\0\0\0\0", 6))
    return { mimeType: "image/bmp", label: "a BMP image" };
  const match = SIGNATURES.find(([magic]) => head.startsWith(magic));
  return match === undefined ? null : { mimeType: match[1], label: match[2] };
}

function zipSignature(name: string | null, bytes: Uint8Array): FileSignature {
  const archive = openIfIntact(() => new ZipArchive(name, bytes));
  if (archive === null) return damagedZipSignature(bytes);
  if (archive.has("mimetype")) {
    const mimeType = latin1(archive.read("mimetype"), 100).trim();
    if (/^[\w.+-]+\/[\w.+-]+$/.test(mimeType)) return { mimeType, label: `a file of type ${mimeType}` };
  }
  if (archive.names.some((part) => /\.fb2$/i.test(part)))
    return { mimeType: "application/x-zip-compressed-fb2", label: "a zipped FictionBook" };
  if (archive.has("META-INF/container.xml")) return { mimeType: "application/epub+zip", label: "an EPUB book" };
  if (archive.has("content.xml") && archive.has("META-INF/manifest.xml"))
    return { mimeType: "application/vnd.oasis.opendocument.text", label: "an OpenDocument file" };
  for (const [prefix, mimeType, label] of ZIP_PARTS) {
    if (archive.names.some((part) => part.startsWith(prefix))) return { mimeType, label };
  }
  return { mimeType: "application/zip", label: "a zip archive" };
}

/** Detects the type of a truncated or damaged archive from the names of its first parts, which are still readable. */
function damagedZipSignature(bytes: Uint8Array): FileSignature {
  const start = latin1(bytes, 64 * 1024);
  for (const [prefix, mimeType, label] of ZIP_PARTS) if (start.includes(prefix)) return { mimeType, label };
  return { mimeType: "application/zip", label: "a truncated or damaged archive" };
}

/**
 * Detects the type of a compound file by the streams in its root. The streams of an embedded document are in a
 * substorage and do not count.
 */
function cfbSignature(name: string | null, bytes: Uint8Array): FileSignature {
  const container = openIfIntact(() => new CompoundFile(name, bytes));
  // The directory of a damaged container can't be read, but the UTF-16 names of its streams remain in the bytes.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const match = CFB_STREAMS.find(([stream]) =>
    container ? container.has(stream) : buffer.includes(Buffer.from(stream, "utf16le")),
  );
  if (match !== undefined) return { mimeType: match[1], label: match[2] };
  return { mimeType: "application/x-cfb", label: "an OLE compound file" };
}

function openIfIntact<Container>(open: () => Container): Container | null {
  try {
    return open();
  } catch (error) {
    if (KnowledgeBaseError.is(error, "invalid_input")) return null;
    throw error;
  }
}

function isoMediaSignature(brand: string): FileSignature {
  if (/^(?:heic|heix|mif1|avif)/.test(brand))
    return { mimeType: brand === "avif" ? "image/avif" : "image/heic", label: "a HEIF image" };
  return { mimeType: "video/mp4", label: "an MP4 recording" };
}

function latin1(bytes: Uint8Array, end: number): string {
  return Buffer.from(bytes.subarray(0, end)).toString("latin1");
}
