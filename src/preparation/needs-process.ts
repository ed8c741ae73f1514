const HEAD_BYTES = 1024;
const PICTURES = ["\x89PNG", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "BM"];
/** Outlook messages and Office files of before 2007. */
const COMPOUND_FILE = "\xd0\xcf\x11\xe0";

/**
 * Whether a file is read by code that can crash a process or fill its memory: PDF (fonts, images, damaged object tables), pictures,
 * which are recognised by native code, and compound files, whose tables of sectors may lead anywhere. Looked at by its first bytes only; what claims to be one and is none costs nothing but the way.
 */
export function needsProcess(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEAD_BYTES, bytes.length)).toString("latin1");
  if (head.includes("%PDF-")) return true;
  return (
    [...PICTURES, COMPOUND_FILE].some((magic) => head.startsWith(magic)) ||
    (head.startsWith("RIFF") && head.startsWith("WEBP", 8))
  );
}
