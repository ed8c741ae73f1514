import { collapseWhitespace } from "../../util/collapse-whitespace.js";
import { markdownLink } from "../shared/markup/markdown-link.js";

/** The URLs of named link targets and the texts of substitutions, by name in lower case. */
export interface RstNames {
  readonly targets: ReadonlyMap<string, string>;
  readonly substitutions: ReadonlyMap<string, string>;
}

const TARGET_PATTERN = /^\.\. _(?:`([^`\n]{1,300})`|([^:\n]{1,300})):[ \t]+(\S.*)$/gm;
const SUBSTITUTION_PATTERN = /^\.\. \|([^|\n]{1,100})\|[ \t]+replace::[ \t]+(.*)$/gm;

/** Finds the link targets and substitutions of a document. */
export function findRstNames(text: string): RstNames {
  const targets = new Map<string, string>();
  for (const [, quoted, plainText, url] of text.matchAll(TARGET_PATTERN))
    targets.set(keyOf(quoted ?? plainText!), url!.trim());
  const substitutions = new Map<string, string>();
  for (const [, name, value] of text.matchAll(SUBSTITUTION_PATTERN)) substitutions.set(keyOf(name!), value!.trim());
  return { targets, substitutions };
}

/**
 * Converts reStructuredText inline markup to Markdown: keeps code, formulas and links, and removes emphasis and roles.
 */
export function rstToMarkdown(text: string, names: RstNames): string {
  return text
    .split(/(``[^`\n](?:[^`\n]{0,1000}[^`\n])?``|:[a-zA-Z][\w:+.-]{0,50}:`[^`]{1,1000}`)/)
    .map((part, index) => (index % 2 === 1 ? literalToMarkdown(part) : textToMarkdown(part, names)))
    .join("");
}

/** Converts an inline literal or a role with its content. */
function literalToMarkdown(part: string): string {
  if (part.startsWith("``")) return `\`${part.slice(2, -2)}\``;
  const backtick = part.indexOf("`");
  return roleToMarkdown(part.slice(1, backtick - 1), part.slice(backtick + 1, -1));
}

function textToMarkdown(text: string, names: RstNames): string {
  return text
    .replace(
      /\|([^|\s](?:[^|\n]{0,100}[^|\s])?)\|_{0,2}/g,
      (whole, name: string) => names.substitutions.get(keyOf(name)) ?? whole,
    )
    .replace(/`([^`<]{0,500})<([^<>`]{1,1000})>`__?/g, (_, label: string, url: string) =>
      markdownLink(label.trim() === "" ? url : label, names.targets.get(keyOf(url.replace(/_$/, ""))) ?? url),
    )
    .replace(/`([^`]{1,500})`__?/g, (_, label: string) => markdownLink(label, names.targets.get(keyOf(label)) ?? ""))
    .replace(/`([^`]{1,500})`/g, "$1")
    .replace(/\[([#*]?[\w-]{1,50})\]_(?!\w)/g, "[^$1]")
    .replace(/\b([A-Za-z][\w.-]{0,100}?)__?(?![\w`])/g, (whole, label: string) => {
      const url = names.targets.size === 0 ? undefined : names.targets.get(keyOf(label));
      return url === undefined ? whole : markdownLink(label, url);
    })
    .replace(/\*\*([^\s*](?:[^*\n]{0,1000}[^\s*])?)\*\*/g, "$1")
    .replace(/(^|[^\w*])\*([^\s*](?:[^*\n]{0,1000}[^\s*])?)\*(?![\w*])/g, "$1$2")
    .replace(/\\([^\sa-zA-Z0-9])/g, "$1")
    .replace(/\\\s/g, "");
}

/** Converts a role: `math` becomes a formula, code roles become code, and references become their title. */
function roleToMarkdown(role: string, content: string): string {
  if (role === "math") return `$${content}$`;
  if (/^(?:code|samp|file|command|option|envvar|kbd|program)$/.test(role)) return `\`${content}\``;
  const withTarget = /^([^<]{1,500})<[^<>]*>$/.exec(content);
  if (withTarget !== null) return withTarget[1]!.trim();
  return /(?:^|:)(?:func|meth|class|mod|attr|data|exc|obj|const|type)$/.test(role)
    ? `\`${content.replace(/^[~!]/, "")}\``
    : content;
}

function keyOf(name: string): string {
  return collapseWhitespace(name).toLowerCase();
}
