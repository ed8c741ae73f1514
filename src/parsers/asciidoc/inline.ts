import { markdownLink } from "../shared/markup/markdown-link.js";

/** Converts AsciiDoc inline markup to Markdown: keeps code and links, removes emphasis, and resolves attributes. */
export function asciidocToMarkdown(text: string, attributes: ReadonlyMap<string, string>): string {
  const replaced = text
    .replace(
      /\{([a-zA-Z][\w-]{0,50})\}/g,
      (whole, name: string) => attributes.get(name) ?? BUILT_IN_ATTRIBUTES.get(name) ?? whole,
    )
    .replace(/(?:pass:[\w,]*|stem:|latexmath:|asciimath:)\[([^[\]\n]{0,1000})\]/g, "$1")
    .replace(/(?:kbd|btn|menu):[^\s[\]]{0,100}\[([^[\]\n]{0,300})\]/g, "$1")
    .replace(/footnote:[\w-]{0,50}\[([^[\]\n]{1,1000})\]/g, " ($1)")
    .replace(/image:[^\s[\]]{1,500}\[([^[\]\n]{0,500})\]/g, (_, alt: string) => alt.split(",", 1)[0]!)
    .replace(
      /(?:link:|\b(?=https?:\/\/|mailto:))([^\s[\]<>]{1,1000})\[([^[\]\n]{0,500})\]/g,
      (_, url: string, label: string) => markdownLink(withoutLinkAttributes(label) || url, url),
    )
    .replace(/<(https?:\/\/[^\s<>]{1,1000})>/g, "$1")
    .replace(
      /xref:[^\s[\]]{1,300}\[([^[\]\n]{0,300})\]/g,
      (whole, label: string) => label || whole.slice(5, whole.indexOf("[")),
    )
    .replace(/<<([^<>,\n]{1,200})(?:,([^<>\n]{1,300}))?>>/g, (_, id: string, label?: string) => (label ?? id).trim())
    .replace(/\[\[[^\][\n]{1,200}\]\]|\(\(\(?[^()\n]{1,200}\)?\)\)/g, (match) =>
      match.startsWith("((") && !match.startsWith("(((") ? match.slice(2, -2) : "",
    )
    .replace(/(^|[^\w`])`\+?([^\s`](?:[^`\n]{0,500}[^\s`])?)\+?`(?!\w)/g, "$1`$2`")
    .replace(/\s\+$/gm, "");
  const withoutRoles = replaced.replace(/\[[.#][\w.#-]{1,100}\](?=[#*_`])/g, "");
  return EMPHASIS_PATTERNS.reduce((plain, pattern) => plain.replace(pattern, "$1$2"), withoutRoles);
}

/**
 * One pattern for each emphasis marker. The text between two markers must not contain the marker, so that no text is
 * scanned twice.
 */
const EMPHASIS_PATTERNS = ["\\*\\*", "__", "##", "\\*", "_", "#"].map((marker) => {
  const char = marker.replace("\\", "").at(0)!;
  const inner = `[^\\s${char}](?:[^\\n${char}]{0,500}[^\\s${char}])?`;
  return marker.length === 1 || marker === "\\*"
    ? new RegExp(`(^|[^\\w${char}\\\\])${marker}(${inner})${marker}(?![\\w${char}])`, "gm")
    : new RegExp(`()${marker}(${inner})${marker}`, "gm");
});

const BUILT_IN_ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    nbsp: " ",
    zwsp: "",
    empty: "",
    sp: " ",
    plus: "+",
    amp: "&",
    lt: "<",
    gt: ">",
    apos: "'",
    quot: '"',
    vbar: "|",
    startsb: "[",
    endsb: "]",
  }),
);

/** Returns a link label without the attributes that may follow it, as in `text,window=_blank` or `text^`. */
function withoutLinkAttributes(label: string): string {
  return label
    .replace(/,\s*\w+=.*$/, "")
    .replace(/\^$/, "")
    .replace(/^"([^"]*)"$/, "$1")
    .trim();
}
