import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { childElements, descendants, isElement, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** Reads the comments of a document, each with its author's name. */
export function readDocxComments(office: OfficePackage): string[] {
  const texts: string[] = [];
  for (const part of office.relatedParts(office.mainPart, "comments")) {
    for (const comment of childElements(office.xml(part), "comment")) {
      const lines = [...descendants(comment, "p")].map(lineOf).filter((line) => line !== "");
      const author = (comment.attributes["w:author"] ?? "").trim();
      if (lines.length > 0) texts.push(author === "" ? lines.join("\n") : `${author}: ${lines.join("\n")}`);
    }
  }
  return texts;
}

function lineOf(paragraph: XmlElement): string {
  let line = "";
  for (const run of descendants(paragraph, "r")) {
    for (const node of run.children) {
      if (!isElement(node)) continue;
      if (node.name === "t") line += textContent(node);
      else if (node.name === "tab" || node.name === "br") line += " ";
    }
  }
  return line.replace(/\s+/g, " ").trim();
}
