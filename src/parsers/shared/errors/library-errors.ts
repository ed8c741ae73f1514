import { getErrorMessage } from "../../../errors.js";

// These texts replace libraries' messages, which change between versions and name internals.
// The library's error becomes the cause.

/** Describes why an XML library rejected a part, naming an undeclared entity if there is one. */
export function xmlProblem(error: unknown): string {
  const entity = /entity not found:\s*&?([\w.:-]{1,80});?/.exec(getErrorMessage(error))?.[1];
  const reason = entity === undefined ? "" : `: it uses the entity &${entity};, which is not declared`;
  return `is not well-formed XML${reason}`;
}

/** Whether a library's error is about malformed XML. */
export function isXmlProblem(error: unknown): boolean {
  return /\[xmldom /.test(getErrorMessage(error));
}

/** Describes why a text is not valid JSON, and where, if the error of `JSON.parse` gives a position. */
export function jsonProblem(text: string, error: unknown): string {
  const message = getErrorMessage(error);
  if (/end of JSON input|Unterminated/i.test(message)) return "it ends unexpectedly";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return "its syntax is wrong";
  if (Number(position) >= text.trimEnd().length) return "it ends unexpectedly";
  const before = text.slice(0, Number(position));
  const line = before.split("\n").length;
  return `its syntax is wrong at line ${line}, column ${before.length - before.lastIndexOf("\n")}`;
}

/** Describes why a library rejected an Internet message. */
export function mailProblem(error: unknown): string {
  const message = getErrorMessage(error);
  if (/header/i.test(message) && /exceeded|maximum/i.test(message)) return "its header is larger than 2 MB";
  if (/nesting/i.test(message)) return "its parts are nested too deeply";
  return "its structure is damaged";
}
