import { gzipSync } from "node:zlib";
import { fakeLanguageModel } from "lorebase/testing";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openPage } from "../http/support/page-server.js";
import { describeInBrowser, newPage } from "./support/browser.js";
import { openLighthouse } from "./support/lighthouse.js";

const MAX_GZIP_BYTES = 40 * 1024;
const LONG_WORD = "Leuchtfeuer".repeat(20);
const WIDE_TABLE = `| ${"Column | ".repeat(12)}\n| ${"--- | ".repeat(12)}\n| ${"value | ".repeat(12)}`;
const DOCUMENT = `# ${LONG_WORD}\n\nThe lamp ${LONG_WORD} is lit before sunset.\n\n${WIDE_TABLE}`;
const ANSWER = `The lamp is lit ${LONG_WORD} [1].\n\n${WIDE_TABLE}\n\n\`\`\`\n${LONG_WORD}\n\`\`\`\n\n\`${LONG_WORD}\` https://example.com/${LONG_WORD}`;

/** What is wider than the window, outside of boxes that scroll; empty if the page fits. */
const overflow = (page: Page) =>
  page.evaluate(`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > innerWidth)
    .map((element) => element.tagName + "." + element.className)`);

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Question" }).fill(question);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy answer" }).last().waitFor();
}

describeInBrowser("the layout", () => {
  it.each([
    ["320 pixels", { viewport: { width: 320, height: 640 } }],
    ["320 pixels on a touch screen", { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true }],
    ["a page of 1280 pixels, zoomed to 400 %", { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 }],
  ])("fits %s, whatever the texts are", async (_, options) => {
    const languageModel = fakeLanguageModel({ answer: ANSWER, chunkSize: 100 });
    const { url, path } = await openPage({
      text: DOCUMENT,
      kb: { languageModel },
      settings: {
        title: LONG_WORD,
        welcomeMessage: LONG_WORD,
        exampleQuestions: [LONG_WORD],
        exampleSearchQueries: ["lamp"],
      },
    });
    const { page } = await newPage(options);
    await page.goto(url + path);
    await page.getByRole("textbox", { name: "Question" }).waitFor();
    expect(await overflow(page)).toEqual([]);
    await ask(page, `When is the lamp lit, ${LONG_WORD}?`);
    expect(await overflow(page)).toEqual([]);
    await page
      .getByRole("button", { name: /^Source 1/ })
      .first()
      .click();
    const box = await page.getByRole("dialog", { name: "Source 1" }).boundingBox();
    expect(box!.x).toBeGreaterThanOrEqual(0);
    expect(box!.x + box!.width).toBeLessThanOrEqual(320);
    expect(await overflow(page)).toEqual([]);
    await page.getByRole("button", { name: "Open the document" }).click();
    await page.locator(".document-text mark").first().waitFor();
    expect(await page.locator(".document-body").evaluate((body) => body.scrollWidth <= body.clientWidth)).toBe(true);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("tab", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("lamp");
    await page.getByRole("list", { name: "Results" }).waitFor();
    expect(await overflow(page)).toEqual([]);
  });

  it("shows the whole title of a source that has no place", async () => {
    const { url, path } = await openPage({
      text: "The lamp is lit half an hour before sunset.",
      fileName: "notes.txt",
    });
    const { page } = await newPage();
    await page.goto(url + path);
    await ask(page, "When is the lamp lit?");
    const title = page.getByRole("list", { name: "Sources" }).locator(".source-title");
    expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  });

  it("keeps a marker on the line of the word before it", async () => {
    const words = (count: number) =>
      Array.from({ length: count }, (_, index) => `word${"s".repeat(index % 5)}`).join(" ");
    const answer = Array.from({ length: 40 }, (_, index) => `${words(4 + index)} [1].`).join("\n\n");
    const { url, path } = await openPage({ kb: { languageModel: fakeLanguageModel({ answer }) } });
    const { page } = await newPage({ viewport: { width: 390, height: 800 } });
    await page.goto(url + path);
    await ask(page, "When is the lamp lit?");
    const gaps = await page.locator(".prose > p").evaluateAll((paragraphs) =>
      paragraphs.map((paragraph) => {
        const range = paragraph.ownerDocument.createRange();
        const { length } = paragraph.firstChild!.textContent!;
        range.setStart(paragraph.firstChild!, length - 2);
        range.setEnd(paragraph.firstChild!, length);
        const marker = paragraph.querySelector(".marker")!.getBoundingClientRect();
        return Math.abs(marker.top - range.getBoundingClientRect().top);
      }),
    );
    expect(gaps).toHaveLength(40);
    expect(Math.max(...gaps)).toBeLessThan(12);
  });

  it("follows the direction of each text", async () => {
    const languageModel = fakeLanguageModel({ answer: "المصباح يضاء قبل الغروب [1].\n\nThe lamp is lit at dusk [1]." });
    const { url, path } = await openPage({
      text: "# الدليل\n\nالمصباح يضاء قبل الغروب بنصف ساعة.",
      kb: { languageModel },
    });
    const { page } = await newPage({ viewport: { width: 390, height: 800 } });
    await page.goto(url + path);
    await ask(page, "متى يضاء المصباح؟");
    const direction = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((element) => (element.matches(":dir(rtl)") ? "rtl" : "ltr")));
    expect(await direction(".question > p")).toEqual(["rtl"]);
    expect(await direction(".prose > p")).toEqual(["rtl", "ltr"]);
    // The marker stands at the end of its sentence: on the left in Arabic.
    const marker = await page.locator(".marker").first().boundingBox();
    const paragraph = await page.locator(".prose > p").first().boundingBox();
    expect(marker!.x).toBeLessThan(paragraph!.x + paragraph!.width / 2);
    await page
      .getByRole("button", { name: /^Source 1/ })
      .first()
      .click();
    expect(await page.locator(".citation-card mark").textContent()).toContain("المصباح");
    expect(await direction(".citation-card .prose p:last-child")).toEqual(["rtl"]);
    expect(await overflow(page)).toEqual([]);
  });

  it("is mirrored for a language from right to left", async () => {
    const { url, path } = await openPage();
    const { page } = await newPage({ locale: "ar" });
    await page.goto(url + path);
    await page.getByRole("textbox").fill("When is the lamp lit?");
    await page.keyboard.press("Enter");
    const source = page.locator(".sources button");
    await source.waitFor();
    const box = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
    const [title, place] = [await box(".sources .source-title"), await box(".sources .place")];
    expect(title.x - (place.x + place.width)).toBeCloseTo(8, 0);
    expect((await box(".tabs")).x).toBeGreaterThan((await box(".header-actions")).x);
    const style = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`);
    expect(await style("header h1", "textAlign")).toBe("right");
    await source.click();
    await page.locator(".document-text mark").waitFor();
    expect(await style(".dialog-head .icon", "transform")).toBe("none");
    await page.keyboard.press("Escape");
    await page.locator(".marker").click();
    await page.locator(".card-action").waitFor();
    expect(await style(".card-action .icon", "transform")).toBe("matrix(-1, 0, 0, 1, 0, 0)");
  });

  it("needs no script to show what a query finds", async () => {
    const { url, path } = await openLighthouse();
    const { page, problems } = await newPage({ javaScriptEnabled: false });
    await page.goto(url + path);
    await page.getByRole("searchbox", { name: "Search the documents" }).fill("fog horn");
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL(/\?q=fog\+horn$/);
    const result = page.getByRole("article").first();
    expect(await result.textContent()).toContain("The fog horn sounds every ninety seconds");
    expect(await result.locator("mark").allTextContents()).toContain("fog");
    await page.goto(url + path);
    await page.getByRole("link", { name: "fog horn" }).click();
    await page.getByRole("article").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("is loaded with at most 40 KB, in files that stay in the cache", async () => {
    const { url, path } = await openLighthouse();
    const { page } = await newPage();
    const files: { readonly url: string; readonly bytes: number; readonly cache: string | undefined }[] = [];
    const bodies: Promise<unknown>[] = [];
    page.on("response", (response) => {
      const body = response.body().then((bytes) =>
        files.push({
          url: new URL(response.url()).pathname,
          bytes: gzipSync(bytes).length,
          cache: response.headers()["cache-control"],
        }),
      );
      bodies.push(body);
    });
    await page.goto(url + path);
    await page.getByRole("textbox", { name: "Question" }).waitFor();
    await page.waitForLoadState("networkidle");
    await Promise.all(bodies);
    const names = files.map((file) => file.url.replace(/-[\w-]{8}\./, "-*."));
    expect(names).toEqual(expect.arrayContaining([path, "/page-assets/page-*.js", "/page-assets/page-*.css"]));
    // The lexer of Markdown is loaded with the first answer or document.
    expect(names.filter((name) => /answer|passage-text|document/.test(name))).toEqual([]);
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBeLessThanOrEqual(MAX_GZIP_BYTES);
    for (const { url: name, cache } of files.filter((file) => file.url !== path))
      expect([name, cache]).toEqual([name, expect.stringMatching(/immutable/)]);
  });
});
