import type { ReadImage } from "../../interfaces/block.js";
import { ZipArchive } from "../shared/archive/zip-archive.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { parseXml } from "../shared/xml/parse-xml.js";
import { child, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** The parts of an OpenDocument file, which is either an archive or flat XML. */
export interface OdfPackage {
  readonly mimeType: string | null;
  readonly content: XmlElement;
  readonly styles: XmlElement | undefined;
  readonly meta: XmlElement | undefined;
  /** Returns the content of the object embedded under a path, or `undefined` if there is none. */
  embeddedObject(path: string): XmlElement | undefined;
  /** Returns a function that reads the bytes of a `draw:image`, or `undefined` if they are not in the file. */
  readImage(image: XmlElement): ReadImage | undefined;
}

/**
 * Opens an OpenDocument file.
 *
 * @throws `invalid_input` if the file is damaged, password-protected or has no content.
 */
export async function openPackage(
  fileName: string | null,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<OdfPackage> {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return openFlat(fileName, bytes);
  const archive = new ZipArchive(fileName, bytes);
  await archive.assertWithinLimit(signal);
  if (isEncrypted(archive)) throw invalidFile(fileName, "is password-protected.");
  if (!archive.has("content.xml")) throw invalidFile(fileName, "is not an OpenDocument file: it has no content.xml.");
  const part = (name: string): XmlElement | undefined =>
    archive.has(name) ? parseXml(fileName, decode(archive.read(name)), name) : undefined;
  return {
    mimeType: archive.has("mimetype") ? decode(archive.read("mimetype")).trim() : manifestType(archive),
    content: part("content.xml")!,
    styles: part("styles.xml"),
    meta: part("meta.xml"),
    embeddedObject: (path) => part(`${path.replace(/^\.\//, "").replace(/\/$/, "")}/content.xml`),
    readImage(image) {
      const path = (image.attributes["xlink:href"] ?? "").replace(/^\.\//, "");
      return archive.has(path) ? () => archive.read(path) : undefined;
    },
  };
}

function openFlat(fileName: string | null, bytes: Uint8Array): OdfPackage {
  const root = parseXml(fileName, decode(bytes), "XML");
  if (root.name !== "office:document") throw invalidFile(fileName, "is not an OpenDocument file.");
  return {
    mimeType: root.attributes["office:mimetype"] ?? null,
    content: root,
    styles: root,
    meta: child(root, "office:meta") === undefined ? undefined : root,
    embeddedObject: () => undefined,
    readImage(image) {
      const data = child(image, "office:binary-data");
      return data && (() => Buffer.from(textContent(data), "base64"));
    },
  };
}

const MANIFEST = "META-INF/manifest.xml";

/** Returns whether an archive is encrypted. Searches the manifest as text, since it can have a DTD and any layout. */
function isEncrypted(archive: ZipArchive): boolean {
  if (archive.has("encrypted-package")) return true;
  return archive.has(MANIFEST) && decode(archive.read(MANIFEST)).includes("encryption-data");
}

/** Returns the MIME type of the package from the manifest, for files without a `mimetype` part. */
function manifestType(archive: ZipArchive): string | null {
  if (!archive.has(MANIFEST)) return null;
  const rootEntry = /<[^<>]*full-path\s*=\s*["']\/["'][^<>]*>/.exec(decode(archive.read(MANIFEST)))?.[0] ?? "";
  return /media-type\s*=\s*["']([^"']+)/.exec(rootEntry)?.[1] ?? null;
}

function decode(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0);
  return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}
