import { messageOf } from "../../../errors.js";

// Messages instead of those of libraries, which change with the version and name internals and become the cause.

/** What is wrong with a part that an XML library rejected, with the undeclared entity if that is the reason. */
export function xmlProblem(error: unknown): string {
  const entity = /entity not found:\s*&?([\w.:-]{1,80});?/.exec(messageOf(error))?.[1];
  const reason = entity === undefined ? "" : `: it uses the entity &${entity};, which is not declared`;
  return `is not well-formed XML${reason}`;
}

/** Whether an error of a library is about malformed XML. */
export function isXmlProblem(error: unknown): boolean {
  return /\[xmldom /.test(messageOf(error));
}

/** What is wrong with a text that is not valid JSON, and where, if the error of `JSON.parse` gives a position. */
export function jsonProblem(text: string, error: unknown): string {
  const message = messageOf(error);
  if (/end of JSON input|Unterminated/i.test(message)) return "it ends unexpectedly";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return "its syntax is wrong";
  if (Number(position) >= text.trimEnd().length) return "it ends unexpectedly";
  const before = text.slice(0, Number(position));
  const line = before.split("\n").length;
  return `its syntax is wrong at line ${line}, column ${before.length - before.lastIndexOf("\n")}`;
}

/** Why a library rejected an Internet message. */
export function messageProblem(error: unknown): string {
  const message = messageOf(error);
  if (/header/i.test(message) && /exceeded|maximum/i.test(message)) return "its header is larger than 2 MB";
  if (/nesting/i.test(message)) return "its parts are nested too deeply";
  return "its structure is damaged";
}
