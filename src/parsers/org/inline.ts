import { markdownLink } from "../shared/markup/markdown-link.js";

/** Converts Org inline markup to Markdown: keeps code, links and footnotes, and removes emphasis. */
export function orgToMarkdown(text: string): string {
  const converted = text
    .replace(/\[\[([^\][\n]{1,2000})\](?:\[([^\][\n]{1,2000})\])?\]/g, (_, target: string, label?: string) =>
      isImagePath(target) && label === undefined ? "" : markdownLink(label ?? target.replace(/^file:/, ""), target),
    )
    .replace(/(^|[\s('"{-])[~=](\S|\S[^\n~=]{0,500}?\S)[~=](?=[\s.,;:!?)'"}-]|$)/gm, "$1`$2`")
    .replace(/\[fn:([\w-]+)\]/g, "[^$1]")
    .replace(/\\\\$/gm, "");
  return EMPHASIS_PATTERNS.reduce((plain, pattern) => plain.replace(pattern, "$1$2"), converted);
}

/**
 * One pattern for each emphasis marker. The text between two markers must not contain the marker, so that no text is
 * scanned twice.
 */
const EMPHASIS_PATTERNS = ["*", "/", "_", "+"].map((marker) => {
  const inner = `[^\\s${marker}](?:[^\\n${marker}]{0,500}[^\\s${marker}])?`;
  return new RegExp(`(^|[\\s('"{-])\\${marker}(${inner})\\${marker}(?=[\\s.,;:!?)'"}-]|$)`, "gm");
});

/** Returns whether a line contains only a link to an image. */
export function isOrgImageLine(line: string): boolean {
  const target = /^\s*\[\[(?:file:)?([^\][]{1,2000})\]\]\s*$/.exec(line)?.[1];
  return target !== undefined && isImagePath(target);
}

function isImagePath(target: string): boolean {
  return /\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)$/i.test(target);
}
