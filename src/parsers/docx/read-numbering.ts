import type { NumberedList, NumberLevel } from "../shared/office/list-counter.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { isOn } from "../shared/ooxml/on-off.js";
import { integer } from "../shared/xml/xml-attributes.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";

/** The list id and level of a paragraph. The list id `0` means no list. */
export interface NumberingProperties {
  readonly listId: string | undefined;
  readonly level: number | undefined;
}

/** The numbering of a Word document. */
export interface Numbering {
  /** Lists by id. */
  readonly lists: ReadonlyMap<string, NumberedList>;
  /** Paragraph styles by id, with their own or inherited numbering. */
  readonly styles: ReadonlyMap<string, { readonly numbering: NumberingProperties; readonly isHeading: boolean }>;
}

/** Reads the lists of a Word document, and the styles that number paragraphs. */
export function readNumbering(office: OfficePackage): Numbering {
  const part = office.related(office.mainPart, "numbering");
  const stylesPart = office.related(office.mainPart, "styles");
  if (part === undefined) return { lists: new Map(), styles: new Map() };
  const styles = stylesPart === undefined ? [] : childElements(office.xml(stylesPart), "style");
  return { lists: readLists(office.xml(part)), styles: readStyles(styles) };
}

function readLists(root: XmlElement): Map<string, NumberedList> {
  const families = new Map(
    childElements(root, "abstractNum").map((family) => [family.attributes["w:abstractNumId"] ?? "", family]),
  );
  const lists = new Map<string, NumberedList>();
  for (const num of childElements(root, "num")) {
    const familyId = value(child(num, "abstractNumId")) ?? "";
    const levels = new Map(childElements(families.get(familyId), "lvl").map(readLevel));
    const restarts = new Map<number, number>();
    for (const override of childElements(num, "lvlOverride")) {
      const level = child(override, "lvl");
      if (level !== undefined) levels.set(...readLevel(level));
      const start = integer(value(child(override, "startOverride")), null);
      if (start !== null) restarts.set(Number(override.attributes["w:ilvl"] ?? 0), start);
    }
    lists.set(num.attributes["w:numId"] ?? "", { familyId, levels, restarts });
  }
  return lists;
}

function readLevel(level: XmlElement): [number, NumberLevel] {
  const isLgl = child(level, "isLgl");
  return [
    Number(level.attributes["w:ilvl"] ?? 0),
    {
      start: integer(value(child(level, "start")), 1),
      format: value(child(level, "numFmt")) ?? "decimal",
      pattern: value(child(level, "lvlText")) ?? "",
      isLegal: isLgl !== undefined && isOn(value(isLgl) ?? "1"),
    },
  ];
}

function readStyles(styles: readonly XmlElement[]): Numbering["styles"] {
  const elementsById = new Map(styles.map((style) => [style.attributes["w:styleId"] ?? "", style]));
  const numberingById = new Map<string, { numbering: NumberingProperties; isHeading: boolean }>();
  for (const id of elementsById.keys()) {
    let numbering: NumberingProperties = { listId: undefined, level: undefined };
    let isHeading = false;
    const seen = new Set<XmlElement>();
    for (let style = elementsById.get(id); style !== undefined && !seen.has(style); ) {
      seen.add(style);
      const numPr = child(style, "pPr", "numPr");
      numbering = {
        listId: numbering.listId ?? value(child(numPr, "numId")),
        level: numbering.level ?? integer(value(child(numPr, "ilvl")), undefined),
      };
      if (seen.size === 1) isHeading = /^heading \d/i.test(value(child(style, "name")) ?? "");
      style = elementsById.get(value(child(style, "basedOn")) ?? "");
    }
    numberingById.set(id, { numbering, isHeading });
  }
  return numberingById;
}

function value(element: XmlElement | undefined): string | undefined {
  return element?.attributes["w:val"];
}
