import { KnowledgeBaseError } from "../errors.js";
import type { Parser } from "../interfaces/parser.js";
import { type ContentType, parseContentType } from "../net/content-type.js";
import { canParse } from "../parsers/can-parse.js";
import { detectFormat } from "../parsers/parse-document.js";
import { decodeText } from "../parsers/shared/charset/decode-text.js";
import { isNonDocumentType } from "./document-urls.js";
import type { FetchedPage } from "./frontier.js";

/** The format that a response declares. */
export interface DeclaredFormat extends ContentType {
  /** `null` if neither the header nor the URL has a name, and for a page, whose URL's extension means nothing. */
  readonly fileName: string | null;
}

const PAGE_TYPES = ["text/html", "application/xhtml+xml"];
/** Matches feeds and sitemaps: XML that lists URLs for programs. */
const FEED_OR_SITEMAP_PATTERN =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<(?:!--[^>]*|\?[^>]*)>\s*)*<(?:urlset|sitemapindex|rss|feed|rdf:RDF)[\s>]/;

export function parseDeclaredFormat(contentType: string | null, fileName: string | null): DeclaredFormat {
  const { mimeType, charset } = parseContentType(contentType);
  return { mimeType, charset, fileName: isPageType(mimeType) ? null : fileName };
}

/** Returns the MIME type with the charset, as in a `Content-Type` header. */
export function contentType({ mimeType, charset }: Pick<FetchedPage, "mimeType" | "charset">): string {
  return charset === null ? mimeType : `${mimeType}; charset=${charset}`;
}

export function isPageType(mimeType: string | null): boolean {
  return mimeType !== null && PAGE_TYPES.includes(mimeType);
}

/** Whether a response may be a document, judging by its headers. */
export function isSupportedFormat({ mimeType, fileName }: DeclaredFormat, customParsers: readonly Parser[]): boolean {
  if (mimeType === null) return true;
  return !isNonDocumentType(mimeType) && canParse(fileName, mimeType, customParsers);
}

/**
 * Detects the MIME type of a response's bytes. Returns `null` if they are not a document.
 *
 * @throws KnowledgeBaseError `invalid_input` for a document that can't be parsed, e.g. a password-protected one
 */
export function detectDocumentType(
  bytes: Uint8Array,
  declared: DeclaredFormat,
  customParsers: readonly Parser[],
): string | null {
  const { mimeType, fileName } = declared;
  try {
    const format = detectFormat({ name: fileName, mimeType, bytes }, customParsers);
    const isNonDocument = isNonDocumentType(format.mimeType);
    const isUrlList =
      format.parser.name === "xml" && FEED_OR_SITEMAP_PATTERN.test(decodeText(bytes.subarray(0, 4096)).text);
    return isNonDocument || isUrlList ? null : format.mimeType;
  } catch (error) {
    if (KnowledgeBaseError.is(error, "unsupported")) return null;
    throw error;
  }
}
