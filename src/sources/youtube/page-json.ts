import { type Json, parseJson } from "./json-value.js";
import { consentError, isConsentForm, missingDataError } from "./site.js";

/**
 * Extracts the JSON that a page assigns to a variable.
 *
 * @param subject What the page is about, for the error message.
 * @throws KnowledgeBaseError `provider_failed` if the page has no such JSON, e.g. because it is a consent form
 */
export function extractPageJson(html: string, variable: string, subject: string): Json {
  const assignment = new RegExp(
    String.raw`(?:\bvar\s+|window\s*\[\s*["']|\b)${variable}(?:["']\s*\])?\s*=\s*(?=\{)`,
    "g",
  );
  for (const match of html.matchAll(assignment)) {
    const start = match.index + match[0].length;
    const end = findObjectEnd(html, start);
    const json = end === null ? null : parseJson(html.slice(start, end));
    // If it isn't JSON, a script only mentions the variable, and the assignment may follow.
    if (json !== null) return json;
  }
  throw isConsentForm(html) ? consentError(subject) : missingDataError(subject, variable);
}

/** Returns where the object that starts at `start` ends; `null` if it isn't closed. Ignores braces in strings. */
function findObjectEnd(text: string, start: number): number | null {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === "\\") index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return index + 1;
  }
  return null;
}
