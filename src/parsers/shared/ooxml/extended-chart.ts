import type { Chart } from "./chart.js";
import { drawingText } from "./drawing-text.js";
import { child, children, textOf, type XmlElement } from "./xml-tree.js";

/** Reads a chart of the kinds that came with Office 2016 (waterfall, treemap, funnel …); null for one without points. */
export function readExtendedChart(root: XmlElement): Chart | null {
  const title = drawingText(child(root, "chart", "title", "tx", "rich"), []).replace(/\s+/g, " ");
  const columns = children(child(root, "chartData"), "data").flatMap(dataColumns);
  const height = columns.reduce((longest, column) => Math.max(longest, column.length), 0);
  if (title === "" && height === 0) return null;
  const series = children(child(root, "chart", "plotArea", "plotAreaRegion"), "series");
  const names = series.map((one) => textOf(child(one, "tx", "txData", "v")).trim());
  const labels = columns.length - names.length;
  return {
    title,
    header: columns.map((_, i) => (i < labels ? "" : (names[i - labels] ?? ""))),
    rows: Array.from({ length: height }, (_, i) => columns.map((column) => column[i] ?? "")),
  };
}

/** Each level of each dimension: labels from the outermost level, then numbers. */
function dataColumns(data: XmlElement): string[][] {
  return children(data)
    .filter((dimension) => dimension.name === "strDim" || dimension.name === "numDim")
    .flatMap((dimension) => children(dimension, "lvl").reverse())
    .map((level) => {
      const column: string[] = [];
      for (const point of children(level, "pt")) column.push(textOf(point).trim());
      return column;
    });
}
