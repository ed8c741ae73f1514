import type { Metadata } from "../../types.js";
import { child, childrenOf, textWithin, type XmlElement } from "../shared/xml/xml-elements.js";

const KEYS: readonly (readonly [element: string, key: string])[] = [
  ["meta:initial-creator", "author"],
  ["dc:creator", "author"],
  ["dc:subject", "subject"],
  ["dc:description", "description"],
  ["dc:language", "language"],
  ["meta:creation-date", "created"],
  ["dc:date", "modified"],
];

/** What an OpenDocument file says of itself. */
export function odfMetadata(part: XmlElement | undefined): {
  title: string | null;
  metadata: Metadata;
  /** The pages that its writer counted. */
  pageCount: number | null;
} {
  const meta = child(part, "office:meta");
  const metadata: Record<string, string> = {};
  for (const [element, key] of KEYS) {
    const value = textWithin(child(meta, element)).trim();
    if (value !== "") metadata[key] ??= value;
  }
  const keywords = childrenOf(meta, "meta:keyword").map((keyword) => textWithin(keyword).trim());
  if (keywords.some((keyword) => keyword !== "")) metadata.keywords = keywords.filter(Boolean).join(", ");
  const pageCount = Number(child(meta, "meta:document-statistic")?.attributes["meta:page-count"]);
  return {
    title: textWithin(child(meta, "dc:title")).trim() || null,
    metadata,
    pageCount: pageCount >= 1 ? pageCount : null,
  };
}
