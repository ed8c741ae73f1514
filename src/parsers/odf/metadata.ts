import type { Metadata } from "../../types.js";
import { child, childElements, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

const METADATA_KEYS: readonly (readonly [element: string, key: string])[] = [
  ["meta:initial-creator", "author"],
  ["dc:creator", "author"],
  ["dc:subject", "subject"],
  ["dc:description", "description"],
  ["dc:language", "language"],
  ["meta:creation-date", "created"],
  ["dc:date", "modified"],
];

/** Reads the title, metadata and page count of an OpenDocument file. */
export function readOdfMetadata(metaPart: XmlElement | undefined): {
  title: string | null;
  metadata: Metadata;
  /** The number of pages that the application stored; `null` if it stored none. */
  storedPageCount: number | null;
} {
  const meta = child(metaPart, "office:meta");
  const metadata: Record<string, string> = {};
  for (const [element, key] of METADATA_KEYS) {
    const value = textContent(child(meta, element)).trim();
    if (value !== "") metadata[key] ??= value;
  }
  const keywords = childElements(meta, "meta:keyword").map((keyword) => textContent(keyword).trim());
  if (keywords.some((keyword) => keyword !== "")) metadata.keywords = keywords.filter(Boolean).join(", ");
  const pageCount = Number(child(meta, "meta:document-statistic")?.attributes["meta:page-count"]);
  return {
    title: textContent(child(meta, "dc:title")).trim() || null,
    metadata,
    storedPageCount: pageCount >= 1 ? pageCount : null,
  };
}
