import type { Parser } from "../interfaces/parser.js";
import { asciidocParser } from "./asciidoc/parser.js";
import { csvParser } from "./csv/parser.js";
import { docParser } from "./doc/parser.js";
import { docxParser } from "./docx/parser.js";
import { emlParser } from "./eml/parser.js";
import { epubParser } from "./epub/parser.js";
import { fb2Parser } from "./fb2/parser.js";
import { htmlParser } from "./html/parser.js";
import { imageParser } from "./image/parser.js";
import { ipynbParser } from "./ipynb/parser.js";
import { jsonParser } from "./json/parser.js";
import { latexParser } from "./latex/parser.js";
import { markdownParser } from "./markdown/parser.js";
import { msgParser } from "./msg/parser.js";
import { odfParser } from "./odf/parser.js";
import { orgParser } from "./org/parser.js";
import { pdfParser } from "./pdf/parser.js";
import { pptParser } from "./ppt/parser.js";
import { pptxParser } from "./pptx/parser.js";
import { rstParser } from "./rst/parser.js";
import { rtfParser } from "./rtf/parser.js";
import { normalizeErrors } from "./shared/errors/normalize-errors.js";
import { subtitlesParser } from "./subtitles/parser.js";
import { textParser } from "./text/parser.js";
import { xlsParser } from "./xls/parser.js";
import { xlsxParser } from "./xlsx/parser.js";
import { xmlParser } from "./xml/parser.js";

/**
 * The built-in parsers, in order of precedence: if two support a type or detect the same content, the first is used.
 * When adding a parser, list its magic bytes in `file-signature.ts`, its containers that must be parsed in a separate
 * process in `needs-separate-process.ts`, and extensions whose type is not its first MIME type in `EXTENSION_TYPES`
 * (`detect-format.ts`). Raise `PREPARATION_VERSION` if files of its format were parsed as text before.
 */
export const BUILT_IN_PARSERS: readonly Parser[] = [
  pdfParser,
  docxParser,
  pptxParser,
  xlsxParser,
  odfParser,
  rtfParser,
  docParser,
  xlsParser,
  pptParser,
  imageParser,
  epubParser,
  fb2Parser,
  msgParser,
  emlParser,
  htmlParser,
  ipynbParser,
  jsonParser,
  xmlParser,
  subtitlesParser,
  latexParser,
  rstParser,
  orgParser,
  asciidocParser,
  markdownParser,
  csvParser,
  textParser,
].map(normalizeErrors);
