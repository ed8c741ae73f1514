import { strToU8, zipSync } from "fflate";

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const NAMES =
  'xmlns:p="urn:p" xmlns:a="urn:a" xmlns:r="urn:r" xmlns:c="urn:c" xmlns:dgm="urn:dgm" xmlns:xdr="urn:xdr" xmlns:mc="urn:mc"';

/** What a part refers to: the type of the relationship and the target, an address where it has a scheme. */
export type Links = Readonly<Record<string, readonly [type: string, target: string]>>;

/** An Office file of the given parts; text is XML, bytes are media, relationships stand under the name of their part. */
export function makeOffice(
  parts: Readonly<Record<string, string | Uint8Array>>,
  links: Readonly<Record<string, Links>>,
): Uint8Array {
  const files: Record<string, Uint8Array> = {};
  for (const [name, part] of Object.entries(parts)) files[name] = typeof part === "string" ? strToU8(part) : part;
  for (const [part, targets] of Object.entries(links)) {
    const folder = part.slice(0, part.lastIndexOf("/") + 1);
    const relationships = Object.entries(targets).map(([id, [type, target]]) => {
      const mode = /^[a-z]+:/.test(target) ? ' TargetMode="External"' : "";
      return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${mode}/>`;
    });
    files[`${folder}_rels/${part.slice(folder.length)}.rels`] = strToU8(
      `<Relationships>${relationships.join("")}</Relationships>`,
    );
  }
  return zipSync(files);
}

/** Where a shape is on its slide. */
export interface At {
  readonly x: number;
  readonly y: number;
  readonly width?: number;
  readonly height?: number;
}

export interface ShapeSettings {
  readonly at?: At;
  /** The placeholder's type, as in `title`. */
  readonly placeholder?: string;
}

/** A shape with paragraphs: plain text, or the XML of a whole paragraph. */
export function slideShape(paragraphs: readonly string[], { at, placeholder }: ShapeSettings = {}): string {
  const mark = placeholder === undefined ? "" : `<p:ph type="${placeholder}" idx="1"/>`;
  const text = paragraphs.map((one) => (one.startsWith("<a:p>") ? one : `<a:p><a:r><a:t>${one}</a:t></a:r></a:p>`));
  return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="s"/><p:nvPr>${mark}</p:nvPr></p:nvSpPr><p:spPr>${transform("a", at)}</p:spPr><p:txBody>${text.join("")}</p:txBody></p:sp>`;
}

/** A frame with a table, chart or diagram in it. */
export function slideFrame(content: string, at?: At): string {
  return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="2" name="f"/></p:nvGraphicFramePr>${transform("p", at)}<a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></p:graphicFrame>`;
}

export function slidePicture(description: string): string {
  return `<p:pic><p:nvPicPr><p:cNvPr id="3" name="p" descr="${description}"/><p:nvPr/></p:nvPicPr></p:pic>`;
}

function transform(prefix: string, at: At | undefined): string {
  if (at === undefined) return "";
  return `<${prefix}:xfrm><a:off x="${at.x}" y="${at.y}"/><a:ext cx="${at.width ?? 100}" cy="${at.height ?? 100}"/></${prefix}:xfrm>`;
}

export interface SlideSettings {
  readonly shapes: string;
  readonly hidden?: boolean;
  readonly links?: Links;
}

/** A presentation; slides are `ppt/slides/slide1.xml` and so on. */
export function makePptx(
  slides: readonly (string | SlideSettings)[],
  parts: Readonly<Record<string, string>> = {},
  moreLinks: Readonly<Record<string, Links>> = {},
): Uint8Array {
  const files: Record<string, string> = { ...parts };
  const links: Record<string, Links> = { "": { r1: ["officeDocument", "ppt/presentation.xml"] }, ...moreLinks };
  const targets: Record<string, readonly [string, string]> = {};
  for (const [i, slide] of slides.entries()) {
    const { shapes, hidden, links: own } = typeof slide === "string" ? { shapes: slide } : slide;
    const part = `ppt/slides/slide${i + 1}.xml`;
    files[part] =
      `<p:sld ${NAMES}${hidden === true ? ' show="0"' : ""}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
    targets[`r${i + 1}`] = ["slide", `slides/slide${i + 1}.xml`];
    if (own !== undefined) links[part] = own;
  }
  const ids = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="r${i + 1}"/>`);
  files["ppt/presentation.xml"] = `<p:presentation ${NAMES}><p:sldIdLst>${ids.join("")}</p:sldIdLst></p:presentation>`;
  links["ppt/presentation.xml"] = targets;
  return makeOffice(files, links);
}

export type CellContent = string | number | boolean | null;

/** The rows of a worksheet from its first cell on; text beginning with `<c` is a cell's own XML. */
function sheetRows(rows: readonly (readonly CellContent[])[]): string {
  return rows
    .map((cells, y) => {
      const written = cells.map((cell, x) => cellXml(cell, `${String.fromCharCode(65 + x)}${y + 1}`));
      return `<row r="${y + 1}">${written.join("")}</row>`;
    })
    .join("");
}

function cellXml(cell: CellContent, place: string): string {
  if (cell === null) return "";
  if (typeof cell === "number") return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (cell.startsWith("<c")) return cell;
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`;
}

export interface SheetSettings {
  readonly name?: string;
  readonly rows?: readonly (readonly CellContent[])[];
  /** What stands in place of rows made from values. */
  readonly data?: string;
  /** What follows the rows: merged cells, links, footers. */
  readonly after?: string;
  readonly state?: string;
  readonly links?: Links;
}

export interface WorkbookSettings {
  readonly parts?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, Links>>;
  /** Format codes by style: a cell with `s="1"` has the second. */
  readonly formats?: readonly string[];
  readonly date1904?: boolean;
  /** The body of the shared strings' part. */
  readonly strings?: string;
  readonly names?: string;
}

/** A workbook; sheets are `xl/worksheets/sheet1.xml` and so on. */
export function makeXlsx(sheets: readonly SheetSettings[], settings: WorkbookSettings = {}): Uint8Array {
  const files: Record<string, string> = { ...settings.parts };
  const links: Record<string, Links> = { "": { r1: ["officeDocument", "xl/workbook.xml"] }, ...settings.links };
  const targets: Record<string, readonly [string, string]> = { styles: ["styles", "styles.xml"] };
  for (const [i, sheet] of sheets.entries()) {
    const part = `xl/worksheets/sheet${i + 1}.xml`;
    files[part] =
      `<worksheet ${NAMES}><sheetData>${sheet.data ?? sheetRows(sheet.rows ?? [])}</sheetData>${sheet.after ?? ""}</worksheet>`;
    targets[`r${i + 1}`] = ["worksheet", `worksheets/sheet${i + 1}.xml`];
    if (sheet.links !== undefined) links[part] = sheet.links;
  }
  if (settings.strings !== undefined) {
    files["xl/sharedStrings.xml"] = `<sst>${settings.strings}</sst>`;
    targets.strings = ["sharedStrings", "sharedStrings.xml"];
  }
  const formats = settings.formats ?? [""];
  const escaped = (code: string): string => code.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  files["xl/styles.xml"] =
    `<styleSheet><numFmts>${formats.map((code, i) => `<numFmt numFmtId="${200 + i}" formatCode="${escaped(code)}"/>`).join("")}</numFmts><cellXfs>${formats.map((_, i) => `<xf numFmtId="${200 + i}"/>`).join("")}</cellXfs></styleSheet>`;
  const entries = sheets.map((sheet, i) => {
    const state = sheet.state === undefined ? "" : ` state="${sheet.state}"`;
    return `<sheet name="${sheet.name ?? `Sheet${i + 1}`}" sheetId="${i + 1}"${state} r:id="r${i + 1}"/>`;
  });
  const base = settings.date1904 === true ? '<workbookPr date1904="1"/>' : "";
  files["xl/workbook.xml"] =
    `<workbook ${NAMES}>${base}<sheets>${entries.join("")}</sheets><definedNames>${settings.names ?? ""}</definedNames></workbook>`;
  links["xl/workbook.xml"] = targets;
  return makeOffice(files, links);
}

/** A bar chart of one series over text categories. */
export function barChart(title: string, series: string, points: Readonly<Record<string, number>>): string {
  const cache = (values: readonly (string | number)[]): string =>
    values.map((value, i) => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`).join("");
  return `<c:chartSpace ${NAMES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>${title}</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>${cache([series])}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${cache(Object.keys(points))}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${cache(Object.values(points))}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
}
