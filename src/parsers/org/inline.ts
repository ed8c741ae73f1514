import { markdownLink } from "../shared/markup/markdown-link.js";

/** Inline markup of Org as Markdown: code and links are marked, emphasis is removed. */
export function orgInline(text: string): string {
  const marked = text
    .replace(/\[\[([^\][\n]{1,2000})\](?:\[([^\][\n]{1,2000})\])?\]/g, (_, target: string, label?: string) =>
      isImagePath(target) && label === undefined ? "" : markdownLink(label ?? target.replace(/^file:/, ""), target),
    )
    .replace(/(^|[\s('"{-])[~=](\S|\S[^\n~=]{0,500}?\S)[~=](?=[\s.,;:!?)'"}-]|$)/gm, "$1`$2`")
    .replace(/\[fn:([\w-]+)\]/g, "[^$1]")
    .replace(/\\\\$/gm, "");
  return EMPHASIS.reduce((plain, mark) => plain.replace(mark, "$1$2"), marked);
}

/** One expression per mark. The text between two marks must not contain the mark, so that no text is scanned twice. */
const EMPHASIS = ["*", "/", "_", "+"].map(
  (mark) =>
    new RegExp(
      `(^|[\\s('"{-])\\${mark}([^\\s${mark}](?:[^\\n${mark}]{0,500}[^\\s${mark}])?)\\${mark}(?=[\\s.,;:!?)'"}-]|$)`,
      "gm",
    ),
);

/** Whether a line is only a link to an image. */
export function isOrgImage(line: string): boolean {
  const target = /^\s*\[\[(?:file:)?([^\][]{1,2000})\]\]\s*$/.exec(line)?.[1];
  return target !== undefined && isImagePath(target);
}

function isImagePath(target: string): boolean {
  return /\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)$/i.test(target);
}
