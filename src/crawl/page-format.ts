import { KnowledgeBaseError } from "../errors.js";
import type { Parser } from "../interfaces/parser.js";
import { canParse } from "../parsers/can-parse.js";
import { detectFormat } from "../parsers/detect-format.js";
import { BUILT_IN_PARSERS } from "../parsers/index.js";
import { decodeText } from "../parsers/shared/charset/decode-text.js";
import { isOtherType } from "./document-address.js";

/** What an answer declares itself to be. */
export interface DeclaredFormat {
  /** Lower case, without parameters; null where nothing is declared, or what stands for anything. */
  readonly mimeType: string | null;
  readonly charset: string | null;
  /** Null for a page: addresses of pages end as they please. */
  readonly fileName: string | null;
}

const PAGE_TYPES = ["text/html", "application/xhtml+xml"];
const ANYTHING = [
  "application/octet-stream",
  "binary/octet-stream",
  "application/x-download",
  "application/force-download",
  "unknown/unknown",
];
/** Lists of addresses, for machines. */
const FEED_OR_SITEMAP =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<(?:!--[^>]*|\?[^>]*)>\s*)*<(?:urlset|sitemapindex|rss|feed|rdf:RDF)[\s>]/;

export function declaredFormat(contentType: string | null, fileName: string | null): DeclaredFormat {
  const type = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*"?\s*([^\s";]+)/i.exec(contentType ?? "")?.[1] ?? null;
  const mimeType = type === "" || ANYTHING.includes(type) ? null : type;
  return { mimeType, charset, fileName: isPageType(mimeType) ? null : fileName };
}

export function isPageType(mimeType: string | null): boolean {
  return mimeType !== null && PAGE_TYPES.includes(mimeType);
}

/** Whether an answer may be a document, as far as its headers tell. */
export function mayBeRead({ mimeType, fileName }: DeclaredFormat, extraParsers: readonly Parser[]): boolean {
  if (mimeType === null) return true;
  return !isOtherType(mimeType) && canParse(fileName, mimeType, extraParsers);
}

/**
 * What an answer's bytes are: the type of a document, or null for what is none.
 * @throws KnowledgeBaseError `invalid_input` for a document that can't be read, as one that is encrypted
 */
export function formatOf(bytes: Uint8Array, declared: DeclaredFormat, extraParsers: readonly Parser[]): string | null {
  const { mimeType, fileName } = declared;
  try {
    const format = detectFormat({ name: fileName, mimeType, bytes }, [...extraParsers, ...BUILT_IN_PARSERS]);
    const isOther = isOtherType(format.mimeType);
    const isList = format.parser.name === "xml" && FEED_OR_SITEMAP.test(decodeText(bytes.subarray(0, 4096)).text);
    return isOther || isList ? null : format.mimeType;
  } catch (error) {
    if (KnowledgeBaseError.is(error, "unsupported")) return null;
    throw error;
  }
}
