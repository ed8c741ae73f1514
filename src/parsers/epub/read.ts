import { collapseWhitespace } from "../../util/collapse-whitespace.js";
import type { ZipArchive } from "../shared/archive/zip-archive.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { parseXml } from "../shared/xml/parse-xml.js";
import { child, childElements, descendants, localName, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** A content document of a book. */
export interface BookPart {
  readonly path: string;
  /** Whether the part is the book's navigation document, which contains the table of contents. */
  readonly isNavigation: boolean;
}

export interface Book {
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** In reading order. */
  readonly parts: readonly BookPart[];
  /** Returns the path of the file that a reference in the file `from` points to, or `null` if there is none. */
  resolve(from: string, reference: string): string | null;
}

const CONTAINER_PATH = "META-INF/container.xml";
const ENCRYPTION_PATH = "META-INF/encryption.xml";
/** Matches the algorithms that only obfuscate the fonts of a book. */
const FONT_OBFUSCATION_PATTERN = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;

const METADATA_KEYS: readonly (readonly [element: string, key: string])[] = [
  ["creator", "author"],
  ["language", "language"],
  ["publisher", "publisher"],
  ["date", "published"],
  ["description", "description"],
  ["subject", "keywords"],
  ["identifier", "identifier"],
];

/**
 * Reads a book's package document: its metadata, and its content documents in the order of the spine. Documents outside
 * the linear order, such as answers and notes, come last.
 *
 * @throws `invalid_input` if the book is damaged, has no package document or content documents, or is protected by DRM.
 */
export function openBook(fileName: string | null, archive: ZipArchive): Book {
  assertNotEncrypted(fileName, archive);
  const path = findPackagePath(fileName, archive);
  const root = parseXml(fileName, decode(archive.read(path)), path);
  const items = new Map<string, XmlElement>();
  for (const item of elementsIn(root, "manifest", "item")) items.set(item.attributes.id ?? "", item);
  const linear: BookPart[] = [];
  const nonLinear: BookPart[] = [];
  const resolve = createResolver(archive);
  for (const reference of elementsIn(root, "spine", "itemref")) {
    const item = items.get(reference.attributes.idref ?? "");
    const part = item === undefined ? null : partOf(item, path, resolve);
    if (part !== null) (reference.attributes.linear === "no" ? nonLinear : linear).push(part);
  }
  if (linear.length + nonLinear.length === 0) throw invalidFile(fileName, "is damaged: it has no content documents.");
  return { ...readMetadata(root), parts: [...linear, ...nonLinear], resolve };
}

function assertNotEncrypted(fileName: string | null, archive: ZipArchive): void {
  if (!archive.has(ENCRYPTION_PATH)) return;
  const root = parseXml(fileName, decode(archive.read(ENCRYPTION_PATH)), ENCRYPTION_PATH);
  for (const data of descendants(root)) {
    if (localName(data.name) !== "EncryptedData") continue;
    const method = childElements(data).find((element) => localName(element.name) === "EncryptionMethod");
    if (!FONT_OBFUSCATION_PATTERN.test(method?.attributes.Algorithm ?? ""))
      throw invalidFile(fileName, "is protected by DRM: its content is encrypted.");
  }
}

function findPackagePath(fileName: string | null, archive: ZipArchive): string {
  if (archive.has(CONTAINER_PATH)) {
    const root = parseXml(fileName, decode(archive.read(CONTAINER_PATH)), CONTAINER_PATH);
    for (const element of descendants(root)) {
      const path = element.attributes["full-path"];
      if (localName(element.name) === "rootfile" && path !== undefined && archive.has(path)) return path;
    }
  }
  const found = archive.names.find((name) => name.endsWith(".opf"));
  if (found === undefined) throw invalidFile(fileName, "is not an EPUB book: it has no package document.");
  return found;
}

function partOf(item: XmlElement, packagePath: string, resolve: Book["resolve"]): BookPart | null {
  const mimeType = (item.attributes["media-type"] ?? "").toLowerCase();
  const path = resolve(packagePath, item.attributes.href ?? "");
  const isText = /html|dtbook|^text\/|\/xml$/.test(mimeType) || /\.x?html?$/i.test(path ?? "");
  if (path === null || !isText) return null;
  return { path, isNavigation: /(?:^|\s)nav(?:\s|$)/.test(item.attributes.properties ?? "") };
}

/** Creates a function that resolves references to files, even if they differ in case or contain escapes. */
function createResolver(archive: ZipArchive): Book["resolve"] {
  const byLowerCase = new Map(archive.names.map((name) => [name.toLowerCase(), name]));
  return (from, reference) => {
    const withoutFragment = reference.replace(/[?#].*$/s, "");
    for (const candidate of [unescapePath(withoutFragment), withoutFragment]) {
      const path: string[] = candidate.startsWith("/") ? [] : from.split("/").slice(0, -1);
      for (const segment of candidate.split("/")) {
        if (segment === "..") path.pop();
        else if (segment !== "." && segment !== "") path.push(segment);
      }
      const name = path.join("/");
      const found = archive.has(name) ? name : byLowerCase.get(name.toLowerCase());
      if (found !== undefined) return found;
    }
    return null;
  };
}

function readMetadata(root: XmlElement): Pick<Book, "title" | "metadata"> {
  const values = new Map<string, string[]>();
  const metadataElement = childElements(root).find((element) => localName(element.name) === "metadata");
  for (const element of metadataElement === undefined ? [] : descendants(metadataElement)) {
    const value = collapseWhitespace(textContent(element));
    if (value === "" || element.name.startsWith("opf:") || element.name === "meta") continue;
    values.set(localName(element.name), [...(values.get(localName(element.name)) ?? []), value]);
  }
  const metadata: Record<string, string> = {};
  for (const [element, key] of METADATA_KEYS) {
    const all = values.get(element);
    if (all !== undefined) metadata[key] = /^(?:creator|subject|language)$/.test(element) ? all.join(", ") : all[0]!;
  }
  return { title: values.get("title")?.[0] ?? null, metadata };
}

function elementsIn(root: XmlElement, parent: string, name: string): XmlElement[] {
  const container = child(root, parent) ?? childElements(root).find((element) => localName(element.name) === parent);
  return childElements(container).filter((element) => localName(element.name) === name);
}

function unescapePath(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

function decode(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0);
  return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}
