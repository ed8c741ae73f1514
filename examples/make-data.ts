// Writes the PDF and the Word document of examples/data; the HTML and Markdown files are written by hand. Run it again
// after changing a text.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeDocx } from "./make-data/make-docx.js";
import { makePdf } from "./make-data/make-pdf.js";

// A test passes another folder and compares.
const folder = process.argv[2] ?? fileURLToPath(new URL("./data", import.meta.url));
for (const [name, bytes] of [
  ["volunteer-handbook.pdf", await makePdf()],
  ["visitor-guide.docx", makeDocx()],
] as const) {
  writeFileSync(`${folder}/${name}`, bytes);
  console.log(`${name}  ${bytes.length.toLocaleString("en")} bytes`);
}
