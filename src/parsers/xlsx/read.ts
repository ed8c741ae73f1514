import { getOrCreate } from "../../util/get-or-create.js";
import { builtInFormat, type NumberFormat, numberFormat } from "../shared/ooxml/number-format.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import { isOn } from "../shared/ooxml/on-off.js";
import { child, childElements, prefixedAttribute, textContent } from "../shared/xml/xml-tree.js";

/** An entry in the list of sheets. */
export interface SheetEntry {
  readonly name: string;
  /** The path of the sheet; `undefined` if it is missing from the file. */
  readonly part: string | undefined;
  readonly isHidden: boolean;
  /** The rows printed at the top of each page; `null` if there are none. */
  readonly printTitles: { readonly top: number; readonly bottom: number } | null;
}

export interface Workbook {
  readonly sheets: readonly SheetEntry[];
  /** Whether dates count from 1904. */
  readonly usesEpoch1904: boolean;
  /** Number formats by cell style. */
  readonly formats: readonly NumberFormat[];
}

/** Reads the list of a workbook's sheets, and the number formats of its cells. */
export function readWorkbook(office: OfficePackage): Workbook {
  const root = office.xml(office.mainPart);
  const printTitles = new Map<number, { top: number; bottom: number }>();
  for (const name of childElements(child(root, "definedNames"), "definedName")) {
    const rows = /\$(\d+):\$(\d+)/.exec(textContent(name));
    if (name.attributes.name === "_xlnm.Print_Titles" && rows !== null)
      printTitles.set(Number(name.attributes.localSheetId), { top: Number(rows[1]), bottom: Number(rows[2]) });
  }
  const sheets = childElements(child(root, "sheets"), "sheet").map((sheet, i) => ({
    name: sheet.attributes.name ?? `Sheet ${i + 1}`,
    part: office.partById(office.mainPart, prefixedAttribute(sheet, "id")),
    isHidden: /^(?:hidden|veryHidden)$/.test(sheet.attributes.state ?? ""),
    printTitles: printTitles.get(i) ?? null,
  }));
  return {
    sheets,
    usesEpoch1904: isOn(child(root, "workbookPr")?.attributes.date1904),
    formats: readCellFormats(office),
  };
}

function readCellFormats(office: OfficePackage): NumberFormat[] {
  const part = office.related(office.mainPart, "styles");
  if (part === undefined) return [];
  const root = office.xml(part);
  const customCodes = new Map(
    childElements(child(root, "numFmts"), "numFmt").map(({ attributes }) => [
      attributes.numFmtId,
      attributes.formatCode ?? "",
    ]),
  );
  const formats = new Map<string, NumberFormat>();
  return childElements(child(root, "cellXfs"), "xf").map(({ attributes }) => {
    const id = attributes.numFmtId ?? "0";
    const code = customCodes.get(id);
    return getOrCreate(formats, id, () => (code === undefined ? builtInFormat(Number(id)) : numberFormat(code)));
  });
}
