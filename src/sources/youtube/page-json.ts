import type { Json } from "./json-value.js";

/** The JSON that a page assigns to a variable; null where there is none that can be read. */
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
      // A script that only speaks of the variable: another assignment may follow.
    }
  }
  return null;
}

/** Where an object that begins with a brace ends: braces within strings don't count. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let isString = false;
  for (let place = start; place < text.length; place++) {
    const character = text[place];
    if (isString) {
      if (character === "\\") place++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return place + 1;
  }
  return null;
}
