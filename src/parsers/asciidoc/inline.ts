import { markdownLink } from "../shared/markup/markdown-link.js";

/** Inline markup of AsciiDoc as Markdown: code and links are marked, emphasis is removed, attributes are resolved. */
export function asciidocInline(text: string, attributes: ReadonlyMap<string, string>): string {
  const replaced = text
    .replace(/\{([a-zA-Z][\w-]{0,50})\}/g, (whole, name: string) => attributes.get(name) ?? BUILT_IN.get(name) ?? whole)
    .replace(/(?:pass:[\w,]*|stem:|latexmath:|asciimath:)\[([^[\]\n]{0,1000})\]/g, "$1")
    .replace(/(?:kbd|btn|menu):[^\s[\]]{0,100}\[([^[\]\n]{0,300})\]/g, "$1")
    .replace(/footnote:[\w-]{0,50}\[([^[\]\n]{1,1000})\]/g, " ($1)")
    .replace(/image:[^\s[\]]{1,500}\[([^[\]\n]{0,500})\]/g, (_, alt: string) => alt.split(",", 1)[0]!)
    .replace(
      /(?:link:|\b(?=https?:\/\/|mailto:))([^\s[\]<>]{1,1000})\[([^[\]\n]{0,500})\]/g,
      (_, url: string, label: string) => markdownLink(labelOf(label) || url, url),
    )
    .replace(/<(https?:\/\/[^\s<>]{1,1000})>/g, "$1")
    .replace(
      /xref:[^\s[\]]{1,300}\[([^[\]\n]{0,300})\]/g,
      (whole, label: string) => label || whole.slice(5, whole.indexOf("[")),
    )
    .replace(/<<([^<>,\n]{1,200})(?:,([^<>\n]{1,300}))?>>/g, (_, id: string, label?: string) => (label ?? id).trim())
    .replace(/\[\[[^\][\n]{1,200}\]\]|\(\(\(?[^()\n]{1,200}\)?\)\)/g, (mark) =>
      mark.startsWith("((") && !mark.startsWith("(((") ? mark.slice(2, -2) : "",
    )
    .replace(/(^|[^\w`])`\+?([^\s`](?:[^`\n]{0,500}[^\s`])?)\+?`(?!\w)/g, "$1`$2`")
    .replace(/\s\+$/gm, "");
  const unrolled = replaced.replace(/\[[.#][\w.#-]{1,100}\](?=[#*_`])/g, "");
  return EMPHASIS.reduce((plain, mark) => plain.replace(mark, "$1$2"), unrolled);
}

/** One expression for each mark. The text between two must not contain the mark, so that no text is scanned twice. */
const EMPHASIS = ["\\*\\*", "__", "##", "\\*", "_", "#"].map((mark) => {
  const char = mark.replace("\\", "").at(0)!;
  const inner = `[^\\s${char}](?:[^\\n${char}]{0,500}[^\\s${char}])?`;
  return mark.length === 1 || mark === "\\*"
    ? new RegExp(`(^|[^\\w${char}\\\\])${mark}(${inner})${mark}(?![\\w${char}])`, "gm")
    : new RegExp(`()${mark}(${inner})${mark}`, "gm");
});

const BUILT_IN: ReadonlyMap<string, string> = new Map(
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

/** A label without the attributes that may follow it: `text,window=_blank`, `text^`. */
function labelOf(label: string): string {
  return label
    .replace(/,\s*\w+=.*$/, "")
    .replace(/\^$/, "")
    .replace(/^"([^"]*)"$/, "$1")
    .trim();
}
