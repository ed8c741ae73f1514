import { markdownLink } from "../shared/markup/markdown-link.js";

/** Converts inline markup of Org to Markdown: keeps code, links and footnotes, removes emphasis. */
export function orgInline(text: string): string {
  const converted = text
    .replace(/\[\[([^\][\n]{1,2000})\](?:\[([^\][\n]{1,2000})\])?\]/g, (_, target: string, label?: string) =>
      isImagePath(target) && label === undefined ? "" : markdownLink(label ?? target.replace(/^file:/, ""), target),
    )
    .replace(/(^|[\s('"{-])[~=](\S|\S[^\n~=]{0,500}?\S)[~=](?=[\s.,;:!?)'"}-]|$)/gm, "$1`$2`")
    .replace(/\[fn:([\w-]+)\]/g, "[^$1]")
    .replace(/\\\\$/gm, "");
  return EMPHASIS.reduce((plain, pattern) => plain.replace(pattern, "$1$2"), converted);
}

/** One pattern per marker. The text between two markers must not contain it, so that no text is scanned twice. */
const EMPHASIS = ["*", "/", "_", "+"].map((marker) => {
  const inner = `[^\\s${marker}](?:[^\\n${marker}]{0,500}[^\\s${marker}])?`;
  return new RegExp(`(^|[\\s('"{-])\\${marker}(${inner})\\${marker}(?=[\\s.,;:!?)'"}-]|$)`, "gm");
});

/** Whether a line is only a link to an image. */
export function isOrgImage(line: string): boolean {
  const target = /^\s*\[\[(?:file:)?([^\][]{1,2000})\]\]\s*$/.exec(line)?.[1];
  return target !== undefined && isImagePath(target);
}

function isImagePath(target: string): boolean {
  return /\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)$/i.test(target);
}
