import { child, childElements, textContent, type XmlElement } from "../xml/xml-tree.js";
import { drawingText } from "./drawing-text.js";

/** A chart's title, and its points as a table with one row for each category. */
export interface Chart {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Reads a chart of a kind that Office 2016 added (waterfall, treemap, funnel …); returns `null` if it is empty. */
export function readExtendedChart(root: XmlElement): Chart | null {
  const title = drawingText(child(root, "chart", "title", "tx", "rich"), []).replace(/\s+/g, " ");
  const columns = childElements(child(root, "chartData"), "data").flatMap(dataColumns);
  const height = columns.reduce((max, column) => Math.max(max, column.length), 0);
  if (title === "" && height === 0) return null;
  const series = childElements(child(root, "chart", "plotArea", "plotAreaRegion"), "series");
  const names = series.map((ser) => textContent(child(ser, "tx", "txData", "v")).trim());
  const labelColumnCount = columns.length - names.length;
  return {
    title,
    header: columns.map((_, i) => (i < labelColumnCount ? "" : (names[i - labelColumnCount] ?? ""))),
    rows: Array.from({ length: height }, (_, i) => columns.map((column) => column[i] ?? "")),
  };
}

/** Returns a column for each level of each dimension: labels, the outermost level first, then numbers. */
function dataColumns(data: XmlElement): string[][] {
  return childElements(data)
    .filter((dimension) => dimension.name === "strDim" || dimension.name === "numDim")
    .flatMap((dimension) => childElements(dimension, "lvl").reverse())
    .map((level) => childElements(level, "pt").map((point) => textContent(point).trim()));
}
