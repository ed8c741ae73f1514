import { messageOf } from "../../../errors.js";

// What went wrong in a library, in words of ours. Its own are for the error's cause: they change with its version and name its insides.

/** A sentence's end about a part that an XML library did not take: which name it stumbled over, where it says so. */
export function xmlProblem(error: unknown): string {
  const entity = /entity not found:\s*&?([\w.:-]{1,80});?/.exec(messageOf(error))?.[1];
  return `is not well-formed XML${entity === undefined ? "" : `: it uses the entity &${entity};, which is not declared`}`;
}

/** Whether it was XML that a library stumbled over. */
export function isXmlProblem(error: unknown): boolean {
  return /\[xmldom /.test(messageOf(error));
}

/** Where a text stops being JSON, as far as `JSON.parse` has said. */
export function jsonProblem(text: string, error: unknown): string {
  const message = messageOf(error);
  if (/end of JSON input|Unterminated/i.test(message)) return "it breaks off before its end";
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return "its syntax is wrong";
  if (Number(position) >= text.trimEnd().length) return "it breaks off before its end";
  const before = text.slice(0, Number(position));
  const line = before.split("\n").length;
  return `its syntax is wrong at line ${line}, column ${before.length - before.lastIndexOf("\n")}`;
}

/** Why a library did not take an Internet message. */
export function messageProblem(error: unknown): string {
  const message = messageOf(error);
  if (/header/i.test(message) && /exceeded|maximum/i.test(message)) return "its header is larger than 2 MB";
  if (/nesting/i.test(message)) return "its parts are nested too deeply";
  return "its structure is damaged";
}
