import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePdf, pdfLines } from "../support/make-files.js";
import { drawPage, makePng, makeScan } from "../support/make-pictures.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** Parses files in a process in which `@napi-rs/canvas` is found or not, and prints what comes of each. */
const PARSE = `
import Module from "node:module";
const [isHidden, ...paths] = argv;
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (name, ...more) => {
  if (isHidden === "hidden" && name.includes("@napi-rs/canvas")) throw Object.assign(new Error(name), { code: "MODULE_NOT_FOUND" });
  return resolveFilename(name, ...more);
};
const { parseFile } = await import(dist + "parse.js");
// Asked for nothing that is drawn, so it fails where it is asked.
const languageModel = { provider: "FAKE", model: "sees", generate: () => { throw new Error("It was shown a picture."); } };
const asks = (path) => path.endsWith(".html");
const parsed = [];
for (const path of paths) {
  parsed.push(await parseFile(path, { languageModel, config: asks(path) ? { useLlm: true } : {} }).catch(({ code, message }) => ({ code, message })));
}
console.log(JSON.stringify({ parsed, globals: ["DOMMatrix", "ImageData", "Path2D"].filter((name) => name in globalThis) }));
`;
const TEXT = [
  [{ text: "Tides and moorings", x: 60, y: 60, size: 20 }, ...pdfLines(["Row 1", "Row 2"], 60, 120)],
  pdfLines(["The second page is about ladders and ropes."], 60, 120),
];
const INSTALL = "Install it with: npm install @napi-rs/canvas@0.1";

async function files() {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  const text = await makePdf(TEXT);
  const scan = await drawPage(text);
  await writeFile(at("text.pdf"), text);
  await writeFile(at("scan.pdf"), await makeScan([scan]));
  await writeFile(at("scan.png"), makePng(scan));
  const large = Buffer.from(makePng(scan)).toString("base64");
  await writeFile(at("page.html"), `<p>A map:</p><img alt="" src="data:image/png;base64,${large}">`);
  return { page: at("page.html"), text: at("text.pdf"), scan: at("scan.pdf"), picture: at("scan.png") };
}

test("the text of a PDF is read without a canvas as with one, and nothing is printed", async () => {
  const { text } = await files();
  const without = await runScript(PARSE, ["hidden", text]);
  const withCanvas = await runScript(PARSE, ["found", text]);
  expect(without.stderr).toBe("");
  const { parsed, globals } = JSON.parse(without.stdout);
  expect(parsed).toEqual(JSON.parse(withCanvas.stdout).parsed);
  expect(parsed[0].blocks[0]).toMatchObject({ kind: "heading", text: "Tides and moorings", page: 1 });
  expect(globals).toEqual([]);
});

test("recognising text without a canvas names the package and the line to install it", async () => {
  const { scan, picture } = await files();
  const { stdout } = await runScript(PARSE, ["hidden", scan, picture]);
  const message = `Rendering pages and images needs the package @napi-rs/canvas, which is not installed. ${INSTALL}`;
  const warning = `Page 1 has no text; scanned pages need text recognition (OCR). ${message}`;
  const { parsed } = JSON.parse(stdout);
  expect(parsed[0].warnings).toEqual([warning, "The document has no text."]);
  expect(parsed[1]).toEqual({ code: "unsupported", message });
});

test("a picture that has to be made smaller is not shown to a language model, and a warning says why", async () => {
  const { page } = await files();
  const { stdout } = await runScript(PARSE, ["hidden", page]);
  const message = `Rendering pages and images needs the package @napi-rs/canvas, which is not installed. ${INSTALL}`;
  expect(JSON.parse(stdout).parsed[0].warnings).toEqual([`Images were not shown to the language model. ${message}`]);
});
