import type { Json } from "./json-value.js";

/** The JSON that a page assigns to a variable; `null` if no assignment can be parsed. */
export function pageJson(html: string, variable: string): Json {
  const assignment = new RegExp(
    String.raw`(?:\bvar\s+|window\s*\[\s*["']|\b)${variable}(?:["']\s*\])?\s*=\s*(?=\{)`,
    "g",
  );
  for (const match of html.matchAll(assignment)) {
    const start = match.index + match[0].length;
    const end = endOfObject(html, start);
    if (end === null) continue;
    try {
      return JSON.parse(html.slice(start, end)) as Json;
    } catch {
      // A script that only mentions the variable. Another assignment may follow.
    }
  }
  return null;
}

/** The end of an object that starts at a brace. Braces in strings are ignored. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let isString = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (isString) {
      if (character === "\\") index++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return index + 1;
  }
  return null;
}
