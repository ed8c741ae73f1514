import { fakeLanguageModel } from "lorebase/testing";
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { openPage } from "../http/support/page-server.js";
import { describeInBrowser, focused, newPage } from "./support/browser.js";

async function visit(setup: Parameters<typeof openPage>[0]) {
  const opened = await openPage(setup);
  const visited = await newPage();
  await visited.page.goto(opened.url + opened.path);
  return { ...opened, ...visited };
}

async function search(page: Page, query: string): Promise<void> {
  await page.getByRole("tab", { name: "Search" }).click();
  await page.getByRole("searchbox").fill(query);
  await page.getByRole("list", { name: "Results" }).waitFor();
}

async function openCard(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Question" }).fill(question);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy answer" }).waitFor();
  await page
    .getByRole("button", { name: /^Source 1/ })
    .first()
    .click();
}

const PLAIN = "The lamp is lit at dusk.\n# a *b* **c**\n* `d`\n    e  f\n\n1. [g](https://example.com)";
const MARKDOWN = `# Guide

The lamp is **lit** at [dusk](https://example.com/dusk) by \`lamp --on\`.

- Oil
- Wick
  - Trimmed

| Signal | Every |
| --- | --- |
| Horn \\| bell | *ninety* seconds |

\`\`\`sh
# not a heading
lamp --off
\`\`\`
`;

const LONG_MARKDOWN = `## List

1. First *item* with
   two lines
   - nested **bold and *both***
     on
2. Second [link](https://example.com)

> Quoted words and \`code in it\`
> - listed within

A paragraph with \\*escaped\\* signs, ~~deleted~~ ones, x < y & z, a\\_b and <b>tags</b>.
Its second line\u0020\u0020
after a break.

- [ ] Task **open**
- [x] Task done

| Name | Value |
| :-- | --: |
| one \\| two | \`three\` |
| | four |
| four | **five** six |

\`\`\`
code  block
    indented
\`\`\`

The end.
`;

/** The text with the line breaks that the page shows. */
function seenText(element: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: how the page lays out the text is what is tested
  return element.innerText();
}

describeInBrowser("a document", () => {
  it.each(["notes.txt", "notes.log"])("is shown as it is if it is plain text: %s", async (fileName) => {
    const languageModel = fakeLanguageModel({ answer: "The lamp is lit at dusk [1]." });
    const { page } = await visit({ text: PLAIN, fileName, kb: { languageModel } });
    await openCard(page, "When is the lamp lit?");
    expect(await page.locator(".citation-card .plain").textContent()).toBe(PLAIN);
    await page.getByRole("button", { name: "Open the document" }).click();
    const text = page.locator(".document-text .plain");
    expect(await text.textContent()).toBe(PLAIN);
    expect(await seenText(text)).toBe(PLAIN);
    expect(await text.evaluate((element) => element.matches(".monospace"))).toBe(fileName.endsWith(".log"));
    await page.keyboard.press("Escape");
    await search(page, "lamp");
    expect(await seenText(page.locator(".excerpt").first())).toBe(PLAIN.replace("\n\n", "\n"));
  });

  it("is shown formatted if it is Markdown", async () => {
    const { page } = await visit({ text: MARKDOWN });
    await openCard(page, "When is the lamp lit?");
    const card = page.locator(".citation-card .passage");
    expect(await card.locator("strong, code").allTextContents()).toEqual(expect.arrayContaining(["lit", "lamp --on"]));
    // It is shown as the place.
    expect(await card.getByText("Guide").count()).toBe(0);
    await page.getByRole("button", { name: "Open the document" }).click();
    const text = page.locator(".document-text");
    await text.getByRole("heading", { name: "Guide", level: 3 }).waitFor();
    expect(await text.getByRole("link").getAttribute("href")).toBe("https://example.com/dusk");
    expect(await text.locator("li li").textContent()).toBe("Trimmed");
    expect(await text.getByRole("cell").allTextContents()).toEqual(["Horn | bell", "ninety seconds"]);
    expect(await text.locator("pre").textContent()).toBe("# not a heading\nlamp --off");
    await page.keyboard.press("Escape");
    await search(page, "lamp");
    const lines = (await seenText(page.locator(".excerpt").first())).split("\n");
    expect(lines.slice(0, 3)).toEqual(["The lamp is lit at dusk by lamp --on.", "- Oil", "- Wick"]);
  });

  it("of another format has literal signs", async () => {
    const text =
      "<h1>__init__</h1><p>Call __init__ with *args and a\\*b of <code>lamp</code>.</p><ul><li>Oil</li></ul>";
    const { page } = await visit({ text, fileName: "guide.html" });
    await openCard(page, "What is called with args?");
    await page.getByRole("button", { name: "Open the document" }).click();
    const shown = page.locator(".document-text");
    await shown.getByRole("heading", { name: "__init__" }).waitFor();
    expect(await shown.locator("p").textContent()).toBe("Call __init__ with *args and a\\*b of lamp.");
    expect(await shown.locator("code").textContent()).toBe("lamp");
    expect(await shown.locator("li").textContent()).toBe("Oil");
  });

  it.each(["log.md", "log.txt"])(
    "opens at the cited place, and stays there while more is read: %s",
    async (fileName) => {
      const log = (name: string) =>
        Array.from({ length: 1000 }, (_, index) => `Entry ${index} of the ${name} log says nothing of note.`);
      const text = [...log("first"), "The keeper's cat is called Osbert.", ...log("second")].join("\n\n");
      const { page } = await visit({ text, fileName });
      await openCard(page, "What is the keeper's cat called?");
      await page.getByRole("button", { name: "Open the document" }).click();
      const mark = page.locator(".document-text mark");
      await mark.waitFor();
      expect(await mark.textContent()).toBe("The keeper's cat is called Osbert.");
      const body = page.locator(".document-body");
      const height = () => body.evaluate(({ scrollHeight }) => scrollHeight);
      const [at, outer] = [(await mark.boundingBox())!, (await body.boundingBox())!];
      expect(at.y).toBeGreaterThan(outer.y);
      expect(at.y + at.height).toBeLessThan(outer.y + outer.height);
      for (const name of ["Show earlier text", "Show later text"]) {
        const before = await height();
        await page.getByRole("button", { name }).evaluate((button) => button.click());
        await expect.poll(height).toBeGreaterThan(before);
        expect(Math.abs((await mark.boundingBox())!.y - at.y)).toBeLessThan(1);
      }
      await page.getByText("Entry 0 of the first log").waitFor();
      await page.getByText("Entry 999 of the second log").waitFor();
      await expect.poll(() => page.getByRole("button", { name: /^Show/ }).count()).toBe(0);
    },
  );

  it("has one table where it was read in several parts", async () => {
    const rows = Array.from({ length: 3000 }, (_, row) => `| Lamp ${row} | ${row} hours of the night |`);
    const text = ["# Lamps", "", "| Name | Burns |", "| --- | --- |", ...rows, "", "The end of the lamps."].join("\n");
    const { page, url, path, namespace } = await visit({ text });
    const [document] = (await namespace.documents.list()).items;
    const at = (await namespace.documents.text(document!.id)).text.indexOf("Lamp 1500");
    await page.goto(`${url}${path}?doc=${document!.id}&at=${at}-${at + 9}`);
    await page.locator(".document-text mark").waitFor();
    for (const name of ["Show earlier text", "Show later text"]) {
      const button = page.getByRole("button", { name });
      while ((await button.count()) > 0) {
        const shown = await page.locator("td").count();
        await button.evaluate((element) => element.click());
        await expect.poll(() => page.locator("td").count()).toBeGreaterThan(shown);
      }
    }
    const tables = page.locator(".document-text table");
    expect(await tables.count()).toBe(1);
    expect(await tables.getByRole("columnheader").allTextContents()).toEqual(["Name", "Burns"]);
    const names = await tables.locator("td:first-child").allTextContents();
    expect(names).toEqual(rows.map((_, row) => `Lamp ${row}`));
    expect(await page.locator(".document-text mark").allTextContents()).toEqual(["Lamp 1500"]);
  });

  it("has its quoted row shown as a table with its head", async () => {
    const { page } = await visit({ text: MARKDOWN });
    await openCard(page, "How often does the horn or bell signal sound?");
    // Beside it, the card shows the passage.
    const answer = page.locator(".answer > .prose");
    expect(await answer.getByRole("columnheader").allTextContents()).toEqual(["Signal", "Every"]);
    expect(await answer.getByRole("cell").allTextContents()).toEqual(["Horn | bell", "ninety seconds1"]);
  });

  it("has an address and a title, and is opened and closed by the history", async () => {
    const { page } = await visit({ settings: { title: "Lighthouse" } });
    await search(page, "fog horn");
    await expect.poll(() => page.title()).toBe("fog horn · Lighthouse");
    const found = page.url();
    const viewer = page.getByRole("dialog", { name: "guide.md" });
    const result = page.getByRole("list", { name: "Results" }).getByRole("button").first();
    for (const close of ["back", "Escape", "button"] as const) {
      await result.click();
      await page.locator(".document-text mark").first().waitFor();
      expect(page.url()).toMatch(/\?q=fog\+horn&doc=doc_\w+&at=\d+-\d+$/);
      await expect.poll(() => page.title()).toBe("guide.md · Lighthouse");
      if (close === "back") await page.goBack();
      else if (close === "Escape") await page.keyboard.press("Escape");
      else await viewer.getByRole("button", { name: "Close" }).click();
      await viewer.waitFor({ state: "hidden" });
      await page.waitForURL(found);
      await expect.poll(() => page.title()).toBe("fog horn · Lighthouse");
      expect(await focused(page)).toContain("guide.md");
    }
    await page.goForward();
    await page.locator(".document-text mark").first().waitFor();
    expect(await viewer.count()).toBe(1);
    await page.reload();
    await page.locator(".document-text mark").first().waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(found);
    await page.getByRole("list", { name: "Results" }).waitFor();
  });

  it("is opened again at once after it was closed", async () => {
    const { page } = await visit({});
    await search(page, "fog horn");
    const found = page.url();
    // So that its script is loaded.
    await page.locator(".passage-button").first().click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(found);
    await page.evaluate(`(() => {
      const results = document.querySelectorAll(".passage-button");
      const closed = () => document.querySelector("dialog button[aria-label=Close]").click();
      const frames = [() => results[0].click(), closed, () => results[1].click()];
      return new Promise((done) => {
        const next = () => (frames.length > 0 ? (frames.shift()(), requestAnimationFrame(next)) : done());
        next();
      });
    })()`);
    await page.waitForURL(/doc=/);
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it.each([MARKDOWN, LONG_MARKDOWN])("is marked exactly at the range of its address", async (text) => {
    const { page, namespace, url, path } = await visit({ text });
    const [document] = (await namespace.documents.list()).items;
    const stored = (await namespace.documents.text(document!.id)).text;
    // Without addresses and the signs of tasks, which are not shown.
    const words = [...stored.matchAll(/(?<!\]\(\S*|\[(?=x\]))[\p{L}\p{N}]+/gu)];
    for (let from = 0; from < words.length; from += 6) {
      const marked = words.slice(from, from + 6);
      const at = `${marked[0]!.index}-${marked.at(-1)!.index + marked.at(-1)![0].length}`;
      await page.goto(`${url}${path}?doc=${document!.id}&at=${at}`);
      await page.locator(".document-text mark").first().waitFor();
      const shown = (await page.locator(".document-text mark").allTextContents()).join(" ");
      expect(shown.match(/[\p{L}\p{N}]+/gu)).toEqual(marked.map(({ 0: word }) => word));
    }
    await page.keyboard.press("Escape");
    await page.waitForURL(url + path);
  });

  it("that doesn't exist is named as such", async () => {
    const { page, url, path } = await visit({});
    await page.goto(`${url}${path}?doc=doc_none&at=x-y`);
    const viewer = page.getByRole("dialog", { name: "Document" });
    expect(await viewer.getByRole("alert").textContent()).toMatch(/not/);
    await page.keyboard.press("Escape");
    await page.waitForURL(url + path);
  });
});
