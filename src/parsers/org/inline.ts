import { markdownLink } from "../shared/markup/markdown-link.js";

/** Inline markup of Org as Markdown: code and links marked, emphasis taken off. */
export function orgInline(text: string): string {
  const marked = text
    .replace(/\[\[([^\][\n]{1,2000})\](?:\[([^\][\n]{1,2000})\])?\]/g, (_, target: string, label?: string) =>
      isPicture(target) && label === undefined ? "" : markdownLink(label ?? target.replace(/^file:/, ""), target),
    )
    .replace(/(^|[\s('"{-])[~=](\S|\S[^\n~=]{0,500}?\S)[~=](?=[\s.,;:!?)'"}-]|$)/gm, "$1`$2`")
    .replace(/\[fn:([\w-]+)\]/g, "[^$1]")
    .replace(/\\\\$/gm, "");
  return EMPHASIS.reduce((plain, mark) => plain.replace(mark, "$1$2"), marked);
}

/** One expression for each sign: the text between two may not have it, so that no text is scanned twice. */
const EMPHASIS = ["*", "/", "_", "+"].map(
  (sign) =>
    new RegExp(
      `(^|[\\s('"{-])\\${sign}([^\\s${sign}](?:[^\\n${sign}]{0,500}[^\\s${sign}])?)\\${sign}(?=[\\s.,;:!?)'"}-]|$)`,
      "gm",
    ),
);

/** Whether a line is nothing but a link to a picture. */
export function isOrgPicture(line: string): boolean {
  const target = /^\s*\[\[(?:file:)?([^\][]{1,2000})\]\]\s*$/.exec(line)?.[1];
  return target !== undefined && isPicture(target);
}

function isPicture(target: string): boolean {
  return /\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)$/i.test(target);
}
