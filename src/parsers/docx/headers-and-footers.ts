import type { ZipArchive } from "../shared/archive/zip-archive.js";
import { unescapeXml } from "../shared/xml/xml-text.js";

/** Reads the distinct page headers and footers of a document that contain letters. */
export function readDocxHeadersAndFooters(archive: ZipArchive): {
  headers: readonly string[];
  footers: readonly string[];
} {
  return { headers: textsOf(archive, "header"), footers: textsOf(archive, "footer") };
}

function textsOf(archive: ZipArchive, kind: "header" | "footer"): string[] {
  const texts = new Set<string>();
  for (const name of archive.names) {
    if (!new RegExp(`^word/${kind}\\d*\\.xml$`).test(name)) continue;
    const text = plainText(new TextDecoder().decode(archive.read(name)));
    if (/\p{L}/u.test(text)) texts.add(text);
  }
  return [...texts];
}

function plainText(xml: string): string {
  const lines = xml.split("</w:p>").map((paragraph) => {
    let line = "";
    for (const [, text, tab] of paragraph.matchAll(/<w:t(?:\s[^>]*)?>([^<]*)<\/w:t>|(<w:tab\/>)/g)) {
      line += tab === undefined ? unescapeXml(text ?? "") : " ";
    }
    return line.trim();
  });
  return lines.filter((line) => line !== "").join("\n");
}
