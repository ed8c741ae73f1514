import { child, childElements, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";
import { mathText } from "./math-text.js";
import type { OdfPackage } from "./open-package.js";
import { splitHeader } from "./text-table.js";
import type { TextWalk } from "./text-walk.js";

/** Reads the objects embedded in frames: formulas, spreadsheets and the data of charts. */
export class EmbeddedObjects {
  readonly #package: OdfPackage;
  readonly #addsChartData: boolean;

  constructor(odfPackage: OdfPackage, addsChartData: boolean) {
    this.#package = odfPackage;
    this.#addsChartData = addsChartData;
  }

  /** Returns the formula in a frame as text, or `null` if the frame has none. */
  formula(frame: XmlElement): string | null {
    const math = this.#content(frame);
    return math?.name.replace(/^.*:/, "") === "math" ? mathText(math) : null;
  }

  /** Adds the title and table of a chart, or the tables of a spreadsheet. Returns false if nothing was added. */
  add(walk: TextWalk, frame: XmlElement): boolean {
    const body = child(this.#content(frame), "office:body");
    const sheet = child(body, "office:spreadsheet");
    const chart = child(body, "office:chart", "chart:chart");
    const blockCount = walk.list.blocks.length;
    for (const table of childElements(sheet, "table:table")) walk.addElement(table);
    if (chart !== undefined) {
      walk.add("caption", textContent(child(chart, "chart:title")).trim());
      const table = child(chart, "table:table");
      if (this.#addsChartData && table !== undefined) {
        const rows = [...descendants(table, "table:table-row")].map((row) =>
          childElements(row, "table:table-cell").map((cell) => textContent(cell).trim()),
        );
        const { header, body: values } = splitHeader(rows, 1);
        const [label = "", ...names] = header;
        walk.list.table([label || categoryTitle(chart), ...names], values, walk.pageDetail());
      }
    }
    return walk.list.blocks.length > blockCount;
  }

  #content(frame: XmlElement): XmlElement | undefined {
    const object = child(frame, "draw:object");
    if (object === undefined) return undefined;
    const inline = childElements(object).find(({ name }) => /(?:^|:)math$|^office:document$/.test(name));
    const path = object.attributes["xlink:href"];
    return inline ?? (path === undefined ? undefined : this.#package.embeddedObject(path));
  }
}

/** Returns the title of the axis with the categories of a chart; an empty string if it has none. */
function categoryTitle(chart: XmlElement): string {
  const axes = childElements(child(chart, "chart:plot-area"), "chart:axis");
  const axis = axes.find(({ attributes }) => attributes["chart:dimension"] === "x");
  return textContent(child(axis, "chart:title")).trim();
}
