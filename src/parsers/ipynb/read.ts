export interface Notebook {
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly language: string | null;
  readonly cells: readonly Cell[];
}

export interface Cell {
  readonly kind: "markdown" | "code" | "raw" | "heading";
  readonly source: string;
  /** The level of a heading cell, which only old notebooks have. */
  readonly level: number;
  readonly outputs: readonly Output[];
}

export interface Output {
  /** Texts by MIME type, such as `text/plain`. */
  readonly texts: ReadonlyMap<string, string>;
  readonly isStream: boolean;
  /** What the output shows besides texts. A chart is a Plotly specification without an image. */
  readonly figure: "image" | "chart" | null;
  /** A PNG or JPEG image in Base64; `null` if there is none. */
  readonly image: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a notebook of version 3 or 4; skips values of an unexpected type. */
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
  // Version 3 has the texts among the other fields, under short names.
  const data = output.data === undefined ? output : fieldsOf(output.data);
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(data)) {
    const type = SHORT_NAMES.get(key) ?? key;
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

const SHORT_NAMES = new Map([
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
