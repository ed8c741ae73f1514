import type { Parser } from "../interfaces/parser.js";
import { csvParser } from "./csv.js";
import { docParser } from "./doc.js";
import { docxParser } from "./docx.js";
import { emlParser } from "./eml.js";
import { epubParser } from "./epub.js";
import { fb2Parser } from "./fb2.js";
import { htmlParser } from "./html.js";
import { jsonParser } from "./json.js";
import { markdownParser } from "./markdown.js";
import { msgParser } from "./msg.js";
import { odfParser } from "./odf.js";
import { pdfParser } from "./pdf.js";
import { pptParser } from "./ppt.js";
import { pptxParser } from "./pptx.js";
import { rtfParser } from "./rtf.js";
import { textParser } from "./text.js";
import { xlsParser } from "./xls.js";
import { xlsxParser } from "./xlsx.js";

/** The built-in parsers. Where two claim a type or recognise the same content, the earlier one is taken. */
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
  epubParser,
  fb2Parser,
  msgParser,
  emlParser,
  htmlParser,
  jsonParser,
  markdownParser,
  csvParser,
  textParser,
];
