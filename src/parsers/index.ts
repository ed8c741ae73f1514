import type { Parser } from "../interfaces/parser.js";
import { asciidocParser } from "./asciidoc.js";
import { csvParser } from "./csv.js";
import { docParser } from "./doc.js";
import { docxParser } from "./docx.js";
import { emlParser } from "./eml.js";
import { epubParser } from "./epub.js";
import { fb2Parser } from "./fb2.js";
import { htmlParser } from "./html.js";
import { imageParser } from "./image.js";
import { ipynbParser } from "./ipynb.js";
import { jsonParser } from "./json.js";
import { latexParser } from "./latex.js";
import { markdownParser } from "./markdown.js";
import { msgParser } from "./msg.js";
import { odfParser } from "./odf.js";
import { orgParser } from "./org.js";
import { withOwnErrors } from "./own-errors.js";
import { pdfParser } from "./pdf.js";
import { pptParser } from "./ppt.js";
import { pptxParser } from "./pptx.js";
import { rstParser } from "./rst.js";
import { rtfParser } from "./rtf.js";
import { subtitlesParser } from "./subtitles.js";
import { textParser } from "./text.js";
import { xlsParser } from "./xls.js";
import { xlsxParser } from "./xlsx.js";
import { xmlParser } from "./xml.js";

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
].map(withOwnErrors);
