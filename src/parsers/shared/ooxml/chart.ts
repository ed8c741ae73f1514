import { child, childElements, descendants, textContent, type XmlElement } from "../xml/xml-tree.js";
import { drawingText } from "./drawing-text.js";
import { type Chart, readExtendedChart } from "./extended-chart.js";
import { type NumberFormat, numberFormat } from "./number-format.js";

type Points = ReadonlyMap<number, string>;

interface Series {
  readonly name: string;
  readonly categories: Points;
  readonly values: Points;
  readonly sizes: Points;
}

/** The maximum number of rows of a chart's table: more than anyone can distinguish in the chart. */
const MAX_ROWS = 100_000;

/** Reads a chart; returns `null` if it has neither a title nor points. */
export function readChart(root: XmlElement): Chart | null {
  if (child(root, "chartData") !== undefined) return readExtendedChart(root);
  const chart = child(root, "chart");
  const plot = child(chart, "plotArea");
  const series = childElements(plot)
    .filter((group) => group.name.endsWith("Chart"))
    .flatMap((group) => childElements(group, "ser"))
    .map((ser, i) => readSeries(ser, i));
  const filledSeries = series.filter(({ values }) => values.size > 0);
  // In a chart without a title, Office shows the name of a single series as the title.
  const impliedTitle = filledSeries.length === 1 && series.length === 1 ? filledSeries[0]!.name : "";
  const title = titleOf(child(chart, "title")) || impliedTitle;
  if (title === "" && filledSeries.length === 0) return null;
  const isScatter = childElements(plot).some((group) => group.name === "scatterChart" || group.name === "bubbleChart");
  const categoryTitle = axisTitle(plot, isScatter ? "valAx" : "catAx") || axisTitle(plot, "dateAx");
  const sharesCategories = filledSeries.every(({ categories }) =>
    hasSamePoints(categories, filledSeries[0]!.categories),
  );
  const table =
    !isScatter || (sharesCategories && filledSeries.every(({ sizes }) => sizes.size === 0))
      ? tableByCategory(filledSeries, categoryTitle)
      : tableByPoint(filledSeries, categoryTitle);
  return { title, ...table };
}

function tableByCategory(series: readonly Series[], categoryTitle: string): Pick<Chart, "header" | "rows"> {
  const indexes = [...new Set(series.flatMap(({ categories, values }) => [...categories.keys(), ...values.keys()]))];
  indexes.sort((a, b) => a - b);
  const labels = series.find(({ categories }) => categories.size > 0)?.categories;
  return {
    header: [categoryTitle, ...series.map(({ name }) => name)],
    rows: indexes
      .slice(0, MAX_ROWS)
      .map((i) => [
        labels?.get(i) ?? (labels === undefined ? String(i + 1) : ""),
        ...series.map(({ values }) => values.get(i) ?? ""),
      ]),
  };
}

/** Returns a table with a row for each point, since each series of a scatter chart has its own x values. */
function tableByPoint(series: readonly Series[], xTitle: string): Pick<Chart, "header" | "rows"> {
  const hasSizes = series.some(({ sizes }) => sizes.size > 0);
  const rows = series.flatMap(({ name, categories, values, sizes }) =>
    [...values].map(([i, y]) => [name, categories.get(i) ?? "", y, ...(hasSizes ? [sizes.get(i) ?? ""] : [])]),
  );
  return {
    header: ["", xTitle || "x", "y", ...(hasSizes ? ["size"] : [])],
    rows: rows.slice(0, MAX_ROWS),
  };
}

function readSeries(ser: XmlElement, index: number): Series {
  const tx = child(ser, "tx");
  const name = [...readPoints(child(tx, "strRef") ?? tx).values()].join(" ") || textContent(child(tx, "v")).trim();
  return {
    name: name || `Series ${index + 1}`,
    categories: readPoints(child(ser, "cat") ?? child(ser, "xVal")),
    values: readPoints(child(ser, "val") ?? child(ser, "yVal")),
    sizes: readPoints(child(ser, "bubbleSize")),
  };
}

/** Reads points by index. Joins categories of several levels, the outermost first. */
function readPoints(source: XmlElement | undefined): Points {
  const levels = [...descendants(source, "lvl")].reverse();
  if (levels.length === 0) return readLevel(source);
  const pointsByLevel = levels.map(readLevel);
  const innermost = pointsByLevel.at(-1)!;
  const labelsAt = (i: number) => pointsByLevel.map((level) => labelAt(level, i)).filter((label) => label !== "");
  return new Map([...innermost.keys()].map((i) => [i, labelsAt(i).join(" / ")]));
}

function readLevel(source: XmlElement | undefined): Points {
  const [code] = descendants(source, "formatCode");
  const format = numberFormat(textContent(code));
  const points = new Map<number, string>();
  const isNumber = [...descendants(source, "numCache"), ...descendants(source, "numLit")].length > 0;
  for (const point of descendants(source, "pt")) {
    const raw = textContent(child(point, "v")).trim();
    if (raw !== "") points.set(Number(point.attributes.idx ?? 0), isNumber ? formatPoint(raw, format) : raw);
  }
  return points;
}

function formatPoint(raw: string, format: NumberFormat): string {
  const value = Number(raw);
  return Number.isFinite(value) ? format.format(value, false).text : raw;
}

/** Returns the label at an index: an outer label is stored only at the first of its categories. */
function labelAt(level: Points, index: number): string {
  let label = "";
  for (const [i, text] of level) if (i <= index) label = text;
  return label;
}

function hasSamePoints(a: Points, b: Points): boolean {
  return a.size === b.size && [...a].every(([i, text]) => b.get(i) === text);
}

function axisTitle(plot: XmlElement | undefined, axis: string): string {
  return titleOf(child(plot, axis, "title"));
}

function titleOf(title: XmlElement | undefined): string {
  const rich = drawingText(child(title, "tx", "rich"), []);
  const text = rich || [...readPoints(child(title, "tx", "strRef")).values()].join(" ");
  return text.replace(/\s+/g, " ").trim();
}
