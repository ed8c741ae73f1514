import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { degrees, PDFDocument, rgb, StandardFonts } from "pdf-lib";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { renderAlone } from "#dist/parsers/pdf/pdfjs/load-pdfjs.js";
import { PageRenderer } from "#dist/parsers/pdf/scans/page-renderer.js";
import { rotated } from "#dist/parsers/shared/ocr/raster.js";
import { RECOGNITION_THREADS, recogniser } from "#dist/parsers/shared/ocr/recogniser.js";
import type { PageProgress, ParseConfig } from "../../src/interfaces/parser.js";
import type { Raster } from "../../src/parsers/shared/ocr/raster.js";
import { makePdf, pdfLines, sourceFile } from "../support/make-files.js";
import { drawPage, encodePicture, makePng, makeScan, makeTiff, withOrientation } from "../support/make-pictures.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const BODY = [
  "The harbour was quiet in the early morning, and the boats",
  "that had come back in the night lay close to the wall.",
];
const PAGE = [{ text: "The harbour", x: 60, y: 90, size: 22 }, ...pdfLines(BODY, 60, 140, 12)];

/** The upper part of a page, with a title and a paragraph. */
let strip: Raster;
beforeAll(async () => {
  const page = await drawPage(await makePdf([PAGE]));
  strip = { ...page, height: 400, grey: page.grey.subarray(0, page.width * 400) };
});

const parse = (name: string, bytes: Uint8Array, config: ParseConfig = {}) =>
  parseDocument(sourceFile(name, bytes), { config });
const textOf = async (name: string, bytes: Uint8Array) =>
  (await parse(name, bytes)).blocks.map((block) => block.text).join("\n");

describe("pictures", () => {
  test("are read as headings and paragraphs, with places and how sure they are", async () => {
    const { blocks, pages, mimeType, warnings } = await parse("a.png", makePng(strip));
    expect(blocks.map(({ kind, text, page, origin }) => ({ kind, text, page, origin }))).toEqual([
      { kind: "heading", text: "The harbour", page: 1, origin: "ocr" },
      { kind: "paragraph", text: BODY.join(" "), page: 1, origin: "ocr" },
    ]);
    expect({ pages, mimeType, warnings }).toEqual({ pages: 1, mimeType: "image/png", warnings: [] });
    const [left, top, right, bottom] = blocks[1]!.bbox!;
    const pixels = 150 / 72;
    expect(left).toBeCloseTo(60 * pixels, -1);
    expect(top).toBeGreaterThan(120 * pixels);
    expect(right).toBeLessThan(450 * pixels);
    expect(bottom).toBeLessThan(180 * pixels);
    expect(blocks[1]!.confidence).toBeGreaterThan(0.8);
    expect(blocks[1]!.confidence).toBeLessThanOrEqual(1);
  });

  test("every page of a TIFF file", async () => {
    const other = await drawPage(await makePdf([pdfLines(["A second page about ladders and ropes."], 60, 90, 14)]));
    const { blocks, pages } = await parse("a.tif", makeTiff([strip, other]));
    expect(pages).toBe(2);
    expect(blocks.at(-1)).toMatchObject({ page: 2, text: "A second page about ladders and ropes." });
  });

  test.each([1, 2, 3])("turned by %i quarters, with places as they are looked at", async (quarters) => {
    const picture = rotated(strip, quarters);
    const { blocks } = await parse("a.png", makePng(picture));
    expect(blocks.map((block) => block.text)).toEqual(["The harbour", BODY.join(" ")]);
    const [left, top, right, bottom] = blocks[0]!.bbox!;
    const isHorizontal = quarters === 2;
    expect(right - left > bottom - top).toBe(isHorizontal);
    if (isHorizontal) expect(top).toBeGreaterThan(picture.height / 2);
  });

  test("tables are read by their lines", async () => {
    const table = [
      ["Item", "Weight", "Price"],
      ["Rope", "12 kg", "40"],
      ["Ladder", "", "95"],
    ];
    const texts = table.flatMap((row, y) =>
      row.map((text, x) => ({ text, x: 70 + x * 100, y: 75 + y * 30, size: 12 })),
    );
    const raster = await drawPage(await makePdf([texts]));
    const rule = (left: number, top: number, width: number, height: number): void => {
      const [x, y, right, bottom] = [left, top, left + width, top + height].map((at) => Math.round((at * 150) / 72));
      for (let row = y!; row < bottom!; row++)
        raster.grey.fill(0, row * raster.width + x!, row * raster.width + right!);
    };
    for (const y of [55, 85, 115, 145]) rule(60, y, 300, 1);
    for (const x of [60, 160, 260, 360]) rule(x, 55, 1, 91);
    const { blocks } = await parse("a.png", makePng({ ...raster, height: 400 }));
    expect(blocks.map((block) => block.table)).toEqual([{ header: table[0], rows: table.slice(1) }]);
  });

  test("a photo's note of how it was held is heeded", async () => {
    const upside = withOrientation(encodePicture(rotated(strip, 2), "image/jpeg"), 3);
    const { blocks } = await parse("a.jpg", upside);
    expect(blocks[0]).toMatchObject({ text: "The harbour" });
    expect(blocks[0]!.bbox![1]).toBeLessThan(strip.height / 2);
  });

  test("light on dark", async () => {
    const night = { ...strip, grey: strip.grey.map((value) => 255 - value) };
    expect(await textOf("a.webp", encodePicture(night, "image/webp"))).toContain("The harbour was quiet");
  });

  test("without writing give a warning", async () => {
    const { blocks, warnings } = await parse("a.png", makePng({ width: 60, height: 60, grey: new Uint8Array(3600) }));
    expect({ blocks, warnings }).toEqual({ blocks: [], warnings: ["The document has no text."] });
  });

  test("above 50 megapixels are refused before they are decoded", async () => {
    const bytes = Buffer.from(makePng({ width: 1, height: 1, grey: new Uint8Array(1) }));
    bytes.writeUInt32BE(10_000, 16);
    bytes.writeUInt32BE(5_001, 20);
    await expect(parse("a.png", bytes)).rejects.toMatchObject({
      code: "limit_exceeded",
      message: '"a.png" has 10000 × 5001 pixels, more than the 50 megapixels allowed.',
    });
  });

  test.each([
    ["a.png", () => makePng(strip).subarray(0, 20)],
    ["a.png", () => makePng(strip).subarray(0, 200)],
    ["a.jpg", () => encodePicture(strip, "image/jpeg").subarray(0, 40)],
    ["a.tif", () => makeTiff([strip]).subarray(0, 100)],
  ])("%s that is cut off is refused", async (name, bytes) => {
    await expect(parse(name, bytes())).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/damaged image/),
    });
  });

  test("that can't be decoded are refused", async () => {
    // Compressed with LZW, as which no pixels can be read.
    const bytes = Buffer.from(makeTiff([strip]));
    const tag = bytes.lastIndexOf(Buffer.from([0x03, 0x01, 0x04, 0, 1, 0, 0, 0, 1, 0, 0, 0]));
    bytes.writeUInt32LE(5, tag + 8);
    await expect(parse("a.tif", bytes)).rejects.toMatchObject({
      code: "invalid_input",
      message: '"a.tif" is a truncated or damaged image: it cannot be decoded.',
    });
  });

  test("in a language without a model are read as English, with a warning", async () => {
    const { blocks, warnings } = await parse("a.png", makePng(strip), { languageCode: "fi" });
    expect(blocks.length).toBeGreaterThan(0);
    expect(warnings).toEqual([
      'Text was recognised as English, because the language "fi" is not installed. Install its model with: npm install @tesseract.js-data/fin',
    ]);
  });

  test("are given up when they are no longer wanted, and the next is read", async () => {
    const controller = new AbortController();
    const running = parseDocument(sourceFile("a.png", makePng(strip)), { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(await textOf("b.png", makePng(strip))).toContain("harbour");
  });
});

/** A path around the dark pixels of a picture. */
function pathOf({ width, height, grey }: Raster): string {
  const bars: string[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0, from = -1; x <= width; x++) {
      const isDark = x < width && grey[y * width + x]! < 128;
      if (isDark && from === -1) from = x;
      if (isDark || from === -1) continue;
      bars.push(`M${from} ${y}h${x - from}v1h${from - x}z`);
      from = -1;
    }
  }
  return bars.join("");
}

describe("scanned pages of a PDF", () => {
  test("are read several at a time, and stay in their order", async () => {
    const other = await drawPage(await makePdf([pdfLines(["A page about ladders and ropes."], 60, 90, 14)]));
    const file = sourceFile("a.pdf", await makeScan([other, strip, other]));
    let running = 0;
    let most = 0;
    const { recognise } = recogniser;
    const spy = vi.spyOn(recogniser, "recognise").mockImplementation(async (...parameters) => {
      most = Math.max(most, ++running);
      return recognise.apply(recogniser, parameters).finally(() => running--);
    });
    const { blocks, warnings } = await parseDocument(file);
    spy.mockRestore();
    expect(most).toBe(RECOGNITION_THREADS);
    expect(blocks.map(({ page, text }) => [page, text.slice(0, 11)])).toEqual([
      [1, "A page abou"],
      [2, "The harbour"],
      [2, "The harbour"],
      [3, "A page abou"],
    ]);
    expect(warnings).toEqual(["Pages 1, 2, 3 were read by text recognition (OCR)."]);
  });

  test("are given up at once when they are no longer wanted, also those that wait for a thread", async () => {
    const controller = new AbortController();
    const options = { language: "eng", signal: controller.signal };
    const tasks = Array.from({ length: RECOGNITION_THREADS + 1 }, () => recogniser.recognise(strip, options));
    const wanted = recogniser.recognise(strip, { language: "eng" });
    const finished: string[] = [];
    const failures = tasks.map((task) => task.catch((error: Error) => finished.push(error.name)));
    controller.abort();
    await Promise.all([...failures, wanted.then(() => finished.push("read"))]);
    expect(finished).toEqual([...tasks.map(() => "AbortError"), "read"]);
  });

  test("are rendered sharply if they come after smaller pages with the same picture", async () => {
    const document = await PDFDocument.create();
    const picture = await document.embedPng(makePng(strip));
    for (const width of [30, 30, 595]) {
      const height = (width * strip.height) / strip.width;
      document.addPage([width, height]).drawImage(picture, { x: 0, y: 0, width, height });
    }
    const renderer = await PageRenderer.open(await document.save());
    const rasters: Raster[] = [];
    for (const page of [1, 2, 3]) rasters.push(await (await renderer.image(page)).render(strip.width / 595));
    await renderer.close();
    const { grey } = rasters[2]!;
    const difference = strip.grey.reduce((sum, level, i) => sum + Math.abs(level - grey[i]!), 0);
    expect(difference / strip.grey.length).toBeLessThan(1);
  });

  test("stop being rendered, or waiting for it, as soon as they are no longer wanted", async () => {
    const waves = Array.from({ length: 40_000 }, (_, i) => `M0 ${i % 800} L600 ${(i * 7) % 800}`);
    const document = await PDFDocument.create();
    const path = { x: 0, y: 800, borderColor: rgb(0, 0, 0) };
    for (let i = 0; i < waves.length; i += 40) {
      if (i === 0) document.addPage([600, 800]);
      document.getPage(0).drawSvgPath(waves.slice(i, i + 40).join(" "), path);
    }
    const bytes = await document.save();
    const controllers = [new AbortController(), new AbortController()];
    const renderers = await Promise.all(controllers.map(({ signal }) => PageRenderer.open(bytes, signal)));
    const [running, waiting] = await Promise.all(renderers.map((renderer) => renderer.image(1)));
    const finished: string[] = [];
    const tasks = [running!.render(1), waiting!.render(1)].map((task, i) =>
      task.then(
        () => finished.push(`${i} was rendered`),
        (error: Error) => finished.push(`${i}: ${error.name}`),
      ),
    );
    const next = renderAlone(1, async () => finished.push("next"));
    await new Promise((resolve) => setImmediate(resolve));
    controllers[1]!.abort();
    await tasks[1];
    controllers[0]!.abort();
    await Promise.all([...tasks, next]);
    expect(finished).toEqual(["1: AbortError", "0: AbortError", "next"]);
    await Promise.all(renderers.map((renderer) => renderer.close()));
  });

  test("are read between pages with text, in points of the page", async () => {
    const document = await PDFDocument.load(await makeScan([strip]));
    const written = await PDFDocument.load(await makePdf([pdfLines(["A page with text of its own."], 60, 90, 12)]));
    document.addPage((await document.copyPages(written, [0]))[0]!);
    const counts: (PageProgress & { recognised: number })[] = [];
    let recognised = 0;
    const { blocks, warnings } = await parseDocument(
      sourceFile("a.pdf", await document.save({ useObjectStreams: false })),
      { onProgress: () => recognised++, onPages: (pages) => counts.push({ ...pages, recognised }) },
    );
    expect(blocks.map(({ text, page, origin }) => [text, page, origin])).toEqual([
      ["The harbour", 1, "ocr"],
      [BODY.join(" "), 1, "ocr"],
      ["A page with text of its own.", 2, "native"],
    ]);
    // A scan counts once it is recognised.
    expect(counts).toEqual([
      { read: 1, total: 2, recognised: 0 },
      { read: 2, total: 2, recognised },
    ]);
    expect(blocks[1]!.bbox![0]).toBeCloseTo(60, -1);
    expect(blocks[1]!.bbox![1]).toBeCloseTo(130, -1);
    expect(warnings).toEqual(["Page 1 was read by text recognition (OCR)."]);
  });

  test("with recognised text under the picture are read from that", async () => {
    const document = await PDFDocument.load(await makeScan([strip]));
    const font = await document.embedFont(StandardFonts.Helvetica);
    document.getPage(0).drawText("Words from an earlier recognition", { x: 60, y: 100, size: 12, font, opacity: 0 });
    const { blocks, warnings } = await parse("a.pdf", await document.save({ useObjectStreams: false }));
    expect(blocks.map(({ text, origin }) => [text, origin])).toEqual([["Words from an earlier recognition", "native"]]);
    expect(warnings).toEqual([]);
  });

  test("with a number stamped on them are read too", async () => {
    const document = await PDFDocument.load(await makeScan([strip]));
    const font = await document.embedFont(StandardFonts.Helvetica);
    document.getPage(0).drawText("EXHIBIT 000123", { x: 400, y: 10, size: 12, font });
    const { blocks } = await parse("a.pdf", await document.save({ useObjectStreams: false }));
    expect(blocks.map(({ text, origin }) => [text, origin])).toEqual([
      ["The harbour", "ocr"],
      [BODY.join(" "), "ocr"],
      ["EXHIBIT 000123", "ocr"],
    ]);
  });

  test("with words drawn as outlines are read in spite of a few letters, but drawings are not", async () => {
    const outlined = async (y: number, drawing: string, sideways: readonly string[] = []) => {
      const document = await PDFDocument.load(await makePdf([[{ text: "Proof 7 of a flyer", x: 60, y, size: 10 }]]));
      const font = await document.embedFont(StandardFonts.Helvetica);
      for (const [i, text] of sideways.entries())
        document.getPage(0).drawText(text, { x: 570, y: 250, size: 10, font, rotate: degrees(90 + 180 * i) });
      document.getPage(0).drawSvgPath(drawing, { x: 0, y: 842, scale: 72 / 150, color: rgb(0, 0, 0) });
      return parse("a.pdf", await document.save({ useObjectStreams: false }));
    };
    const words = await outlined(300, pathOf(strip));
    expect(words.blocks.map(({ text, origin }) => [text, origin])).toContainEqual(["The harbour", "ocr"]);
    const few = await outlined(300, pathOf(strip), ["Printed in Ayr"]);
    expect(few.blocks.filter(({ text }) => text === "Printed in Ayr")).toHaveLength(1);
    const many = await outlined(300, pathOf(strip), ["Printed in Ayr 89", "by the harbour 89"]);
    expect(many.blocks.map(({ origin }) => origin)).not.toContain("ocr");
    const waves = Array.from({ length: 1500 }, (_, x) => `L${x} ${300 + 40 * Math.sin(x / 9)}`);
    const drawing = await outlined(300, `M0 300 ${waves.join(" ")} V420 H0 Z`);
    expect(drawing.blocks.map(({ text, origin }) => [text, origin])).toEqual([["Proof 7 of a flyer", "native"]]);
    expect(drawing.warnings).toEqual([]);
  });

  test("are none where a page has little text, so that nothing is said about them", async () => {
    const { warnings } = await parse("a.pdf", await makePdf([pdfLines(["A short page."], 60, 90, 12)]), {
      languageCode: "fi",
    });
    expect(warnings).toEqual([]);
  });

  test("for which there is no time are named in a warning", async () => {
    const file = sourceFile("a.pdf", await makeScan([strip, strip, strip]));
    const { blocks, warnings } = await parseDocument(file, { timeoutMs: 1 });
    expect(blocks).toEqual([]);
    expect(warnings[0]).toBe("Pages 1, 2, 3 were not recognised: the time limit was reached.");
  });

  test("are left out by the fast mode, with a warning", async () => {
    const { blocks, warnings } = await parse("a.pdf", await makeScan([strip]), { mode: "fast" });
    expect(blocks).toEqual([]);
    expect(warnings).toEqual([
      'Page 1 has no text; scanned pages need text recognition (OCR). The mode "fast" doesn\'t run it.',
      "The document has no text.",
    ]);
  });

  test("and all others with forceOcr", async () => {
    const { blocks } = await parse("a.pdf", await makePdf([PAGE]), { forceOcr: true });
    expect(blocks.map(({ text, origin }) => [text, origin])).toEqual([
      ["The harbour", "ocr"],
      [BODY.join(" "), "ocr"],
    ]);
  });

  test("without the packages for it give a warning, and pictures an error, with the line to install them", async () => {
    const directory = temporaryDirectory();
    await writeFile(join(directory, "a.pdf"), await makeScan([strip]));
    await writeFile(join(directory, "a.png"), makePng(strip));
    const { stdout } = await run(
      `import Module from "node:module";
      const { _resolveFilename: resolve } = Module;
      Module._resolveFilename = (name, ...rest) => {
        if (name.startsWith("tesseract.js-core/")) throw Object.assign(new Error("absent"), { code: "MODULE_NOT_FOUND" });
        return resolve(name, ...rest);
      };
      const { parseFile } = await import(${parseModule});
      const { warnings } = await parseFile(${JSON.stringify(join(directory, "a.pdf"))});
      const { code, message } = await parseFile(${JSON.stringify(join(directory, "a.png"))}).catch((error) => error);
      console.log(JSON.stringify({ warnings, code, message }));`,
    );
    const missing =
      "Recognising text in images needs the package tesseract.js-core, which is not installed. " +
      "Install it with: npm install tesseract.js-core @tesseract.js-data/eng";
    expect(JSON.parse(stdout)).toEqual({
      warnings: [
        `Page 1 has no text; scanned pages need text recognition (OCR). ${missing}`,
        "The document has no text.",
      ],
      code: "unsupported",
      message: missing,
    });
  });
});

test("a damaged model is not loaded again for each page, and leaves no thread", async () => {
  const directory = temporaryDirectory();
  const folder = join(directory, "node_modules", "@tesseract.js-data", "fin");
  await mkdir(join(folder, "4.0.0"), { recursive: true });
  await writeFile(join(folder, "package.json"), "{}");
  await writeFile(join(folder, "4.0.0", "fin.traineddata.gz"), gzipSync("This is not a model."));
  await writeFile(join(directory, "a.pdf"), await makeScan(Array.from({ length: 5 }, () => strip)));
  const { stdout } = await run(
    `import { once } from "node:events";
    const { parseFile } = await import(${parseModule});
    const exits = [];
    process.on("worker", (thread) => exits.push(once(thread, "exit")));
    const config = { languageCode: "fi" };
    const { warnings } = await parseFile(${JSON.stringify(join(directory, "a.pdf"))}, { config });
    await Promise.all(exits);
    console.log(JSON.stringify({ warnings, threads: exits.length }));`,
    { NODE_PATH: join(directory, "node_modules") },
  );
  const { warnings, threads } = JSON.parse(stdout);
  expect(warnings[0]).toBe(
    "Pages 1, 2, 3, 4, 5 could not be recognised: " +
      'Text recognition could not be started with the model "fin" (initialization failed).',
  );
  expect(threads).toBeLessThanOrEqual(RECOGNITION_THREADS);
});

test("a process ends by itself after a picture was read, and nothing else is printed", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "a.png");
  await writeFile(path, makePng(strip));
  const { stdout, stderr } = await run(
    `const { parseFile } = await import(${parseModule});
    const { markdown } = await parseFile(${JSON.stringify(path)});
    const read = performance.now();
    process.on("exit", () => console.log(markdown.includes("harbour was quiet"), performance.now() - read));`,
  );
  const [isRead, endedAfterMs] = stdout.trim().split(" ");
  expect({ isRead, stderr }).toEqual({ isRead: "true", stderr: "" });
  // The thread that reads pictures ends after five seconds without one, and is not waited for.
  expect(Number(endedAfterMs)).toBeLessThan(5000);
});

const parseModule = JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../dist/parse.js")).href);

function run(script: string, env: NodeJS.ProcessEnv = {}): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    timeout: 30_000,
    env: { ...process.env, ...env },
  });
}
