import type { JsonValue, Metadata } from "../../../types.js";

export interface FrontMatter {
  readonly metadata: Metadata;
  /** The text below the front matter. */
  readonly body: string;
}

/**
 * Splits YAML (`---`) or TOML (`+++`) front matter from a text. Parses top-level keys with plain values or lists of
 * plain values, and keeps nested values as text.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const fence = /^(---|\+\+\+)[ \t]*\n/.exec(text);
  if (fence === null) return { metadata: {}, body: text };
  const start = fence[0].length;
  const end = new RegExp(`^${fence[1] === "---" ? "(?:---|\\.\\.\\.)" : "\\+\\+\\+"}[ \\t]*$`, "m").exec(
    text.slice(start),
  );
  if (end === null) return { metadata: {}, body: text };
  const lines = text.slice(start, start + end.index).split("\n");
  // A text may begin with a thematic break instead: only front matter has keys.
  if (!lines.some((line) => /^[\w-]+\s*[:=]/.test(line))) return { metadata: {}, body: text };
  return { metadata: parseEntries(lines), body: text.slice(start + end.index + end[0].length) };
}

function parseEntries(lines: readonly string[]): Metadata {
  const entries: [string, JsonValue][] = [];
  let key: string | null = null;
  let nested: string[] = [];
  const endNested = (): void => {
    if (key !== null && nested.length > 0) entries.push([key, parseNested(nested)]);
    key = null;
    nested = [];
  };
  for (const line of lines) {
    const match = /^([\w.-]+)\s*[:=]\s*(.*)$/.exec(line);
    if (match === null) {
      if (key !== null && line.trim() !== "" && !line.startsWith("#")) nested.push(line);
      continue;
    }
    endNested();
    const value = match[2]!.replace(/\s+#.*$/, "").trim();
    if (value === "" || /^[|>][+-]?$/.test(value)) key = match[1]!;
    else entries.push([match[1]!, parseValue(value)]);
  }
  endNested();
  return Object.fromEntries(entries);
}

function parseNested(lines: readonly string[]): JsonValue {
  const items = lines.map((line) => /^\s*-\s+(.*)$/.exec(line)?.[1]);
  if (items.every((item) => item !== undefined)) return items.map(parseValue);
  return lines.map((line) => line.trim()).join("\n");
}

function parseValue(text: string): JsonValue {
  const value = text.trim();
  const list = /^\[(.*)\]$/.exec(value);
  if (list !== null) return list[1]!.trim() === "" ? [] : splitList(list[1]!).map(parseValue);
  const quoted = /^"(.*)"$|^'(.*)'$/.exec(value);
  if (quoted !== null) return quoted[1]?.replace(/\\(["\\])/g, "$1") ?? quoted[2]!.replaceAll("''", "'");
  if (/^(?:true|false)$/.test(value)) return value === "true";
  if (/^(?:null|~)$/.test(value)) return null;
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(value) ? Number(value) : value;
}

/** Splits at commas outside quotes. */
function splitList(text: string): string[] {
  return text.match(/"(?:\\.|[^"\\])*"|'[^']*'|[^,\s][^,]*/g) ?? [];
}
