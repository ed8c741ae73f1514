/** A notebook whose values have been checked. */
export interface Notebook {
  readonly title: string | null;
  readonly authors: readonly string[];
  /** The programming language of the code; `null` if it is not declared. */
  readonly language: string | null;
  readonly cells: readonly Cell[];
}

export interface Cell {
  readonly kind: "markdown" | "code" | "raw" | "heading";
  readonly source: string;
  /** The level of a heading cell, from 1. Only old notebooks have such cells. */
  readonly level: number;
  readonly outputs: readonly Output[];
}

export interface Output {
  /** The texts of the output by MIME type, such as `text/plain`. */
  readonly texts: ReadonlyMap<string, string>;
  /** Whether the output is a stream (stdout, stderr) or an error. */
  readonly isStream: boolean;
  /** What the output shows besides its texts. A chart is a Plotly specification without an image. */
  readonly figure: "image" | "chart" | null;
  /** A PNG or JPEG image in Base64; `null` if the output has none. */
  readonly image: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a notebook of version 3 or 4. Skips values of an unexpected type. If the notebook is invalid, returns the
 * reason.
 */
export function readNotebook(json: string): Notebook | { readonly error: string } {
  let root: Fields;
  try {
    root = fieldsOf(JSON.parse(json));
  } catch {
    return { error: "it is not valid JSON" };
  }
  const cells = root.cells ?? itemsOf(root.worksheets).flatMap((sheet) => itemsOf(fieldsOf(sheet).cells));
  if (!Array.isArray(cells) || (root.cells === undefined && root.worksheets === undefined))
    return { error: "it has no cells" };
  const metadata = fieldsOf(root.metadata);
  const language =
    textOf(fieldsOf(metadata.language_info).name) ||
    textOf(fieldsOf(metadata.kernelspec).language) ||
    textOf(fieldsOf(fieldsOf(cells.find((cell) => fieldsOf(cell).cell_type === "code"))).language);
  return {
    title: textOf(metadata.title) || textOf(metadata.name) || null,
    authors: itemsOf(metadata.authors)
      .map((author) => textOf(fieldsOf(author).name))
      .filter((name) => name !== ""),
    language: language || null,
    cells: cells.map(cellOf),
  };
}

function cellOf(cell: unknown): Cell {
  const { cell_type: kind, source, input, level, outputs } = fieldsOf(cell);
  return {
    kind: kind === "code" || kind === "raw" || kind === "heading" ? kind : "markdown",
    source: textOf(source ?? input),
    level: typeof level === "number" ? level : 1,
    outputs: itemsOf(outputs).map((output) => outputOf(fieldsOf(output))),
  };
}

function outputOf(output: Fields): Output {
  const isError = output.output_type === "error" || output.output_type === "pyerr";
  // In version 3, the texts are among the other fields, under short names.
  const data = output.data === undefined ? output : fieldsOf(output.data);
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(data)) {
    const type = MIME_TYPES_BY_SHORT_NAME.get(key) ?? key;
    if (type.startsWith("text/")) texts.set(type, textOf(value));
  }
  if (isError) texts.set("text/plain", errorText(output));
  const types = Object.keys(data);
  const hasImage = types.some((type) => /^(?:image\/|png$|jpeg$|svg$)/.test(type));
  const hasChart = types.some((type) => type.startsWith("application/vnd.plotly"));
  const figure = hasImage ? "image" : hasChart ? "chart" : null;
  const image = textOf(data["image/png"] ?? data["image/jpeg"] ?? data.png ?? data.jpeg) || null;
  return { texts, isStream: output.output_type === "stream" || isError, figure, image };
}

/** MIME types by the short names in version 3. */
const MIME_TYPES_BY_SHORT_NAME = new Map([
  ["text", "text/plain"],
  ["html", "text/html"],
  ["latex", "text/latex"],
  ["markdown", "text/markdown"],
]);

function errorText(output: Fields): string {
  const traceback = itemsOf(output.traceback).map(textOf).join("\n");
  const summary = `${textOf(output.ename)}: ${textOf(output.evalue)}`;
  return traceback.includes(textOf(output.ename)) ? traceback : `${traceback}\n${summary}`.trim();
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === "string").join("");
  return typeof value === "string" ? value : "";
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
