import type { Metadata } from "../../../types.js";
import type { ZipArchive } from "../archive/zip-archive.js";
import { unescapeXml } from "../xml/xml-text.js";

const CORE_PART = "docProps/core.xml";

const METADATA_KEYS: readonly (readonly [element: string, key: string])[] = [
  ["dc:creator", "author"],
  ["dc:subject", "subject"],
  ["dc:description", "description"],
  ["dc:language", "language"],
  ["cp:keywords", "keywords"],
  ["dcterms:created", "created"],
  ["dcterms:modified", "modified"],
];

/** Reads the core properties of an Office file. */
export function officeProperties(archive: ZipArchive): { title: string | null; metadata: Metadata } {
  if (!archive.has(CORE_PART)) return { title: null, metadata: {} };
  const xml = new TextDecoder().decode(archive.read(CORE_PART));
  const metadata: Record<string, string> = {};
  for (const [element, key] of METADATA_KEYS) {
    const value = elementText(xml, element);
    if (value !== null) metadata[key] = value;
  }
  return { title: elementText(xml, "dc:title"), metadata };
}

function elementText(xml: string, element: string): string | null {
  const match = new RegExp(`<${element}(?:\\s[^>]*)?>([^<]*)</${element}>`).exec(xml);
  return (match && unescapeXml(match[1]!).trim()) || null;
}
