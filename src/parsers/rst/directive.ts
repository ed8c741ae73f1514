import { dedent } from "../shared/markup/line-reader.js";

/** A directive: `.. name:: argument` with its options and indented body. */
export interface RstDirective {
  readonly name: string;
  readonly argument: string;
  readonly options: ReadonlyMap<string, string>;
  readonly body: readonly string[];
}

/** Parses a directive. Returns `null` if the line does not begin one. */
export function parseRstDirective(firstLine: string, indented: readonly string[]): RstDirective | null {
  const start = /^\.\. (?:\|[^|\n]+\|[ \t]+)?([\w:.+-]+)::(?:[ \t]+(.*))?$/.exec(firstLine);
  if (start === null) return null;
  const lines = dedent(indented);
  const options = new Map<string, string>();
  const argumentLines = [start[2] ?? ""];
  let at = 0;
  // The argument can continue until a blank line or the first option.
  while (argumentLines[0] !== "" && at < lines.length && lines[at]!.trim() !== "" && !lines[at]!.startsWith(":"))
    argumentLines.push(lines[at++]!);
  for (; at < lines.length; at++) {
    const option = /^:([\w -]+):(?:[ \t]+(.*))?$/.exec(lines[at]!);
    if (option === null) break;
    options.set(option[1]!, option[2] ?? "");
  }
  const body = lines.slice(at);
  while (body.length > 0 && body[0]!.trim() === "") body.shift();
  return { name: start[1]!.toLowerCase(), argument: argumentLines.join(" ").trim(), options, body };
}
