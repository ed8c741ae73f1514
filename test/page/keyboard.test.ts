import { expect, it } from "vitest";
import { describeInBrowser, focused, newPage, pressKeys } from "./support/browser.js";
import { openLighthouse } from "./support/lighthouse.js";

const QUESTION = "When is the lamp lit?";

async function open() {
  const { url, path } = await openLighthouse();
  const opened = await newPage();
  await opened.page.goto(url + path);
  await opened.page.getByRole("textbox", { name: "Question" }).waitFor();
  return opened.page;
}

describeInBrowser("by keyboard alone, a visitor", () => {
  it("asks, looks at a source, opens its document and comes back", async () => {
    const page = await open();
    expect(await focused(page)).toContain('textbox "Question"');
    await page.keyboard.type(QUESTION);
    await pressKeys(page, "Enter");
    await page.getByRole("button", { name: "Copy answer" }).waitFor();
    expect(await focused(page)).toContain('textbox "Question"');

    // Backwards from the field: examples and actions, sources, then the last marker of the answer.
    const isMarker = () => page.evaluate("document.activeElement.matches('.marker')");
    for (let tabs = 0; tabs < 30 && !(await focused(page)).includes("Source 1"); tabs++)
      await pressKeys(page, "Shift+Tab");
    expect(await focused(page)).toContain('button "Source 1: guide.md"');
    const card = page.getByRole("dialog", { name: "Source 1" });
    await card.waitFor();
    await pressKeys(page, "Escape");
    await card.waitFor({ state: "hidden" });

    await pressKeys(page, "Enter");
    await card.waitFor();
    await expect.poll(() => focused(page)).toContain('button "Open the document"');
    await pressKeys(page, "Escape");
    await card.waitFor({ state: "hidden" });
    expect(await isMarker()).toBe(true);

    await pressKeys(page, "Enter");
    await expect.poll(() => focused(page)).toContain("Open the document");
    await pressKeys(page, "Enter");
    await page.getByRole("dialog", { name: "guide.md" }).waitFor();
    await pressKeys(page, "Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await isMarker()).toBe(true);
  });

  it("reaches the field with / and Ctrl+K, and help with ?", async () => {
    const page = await open();
    for (const key of ["/", "Control+k", "Meta+k"]) {
      await pressKeys(page, "Tab", "Tab");
      expect(await focused(page)).not.toContain("Question");
      await pressKeys(page, key);
      expect(await focused(page)).toContain('textbox "Question"');
    }
    expect(await page.getByRole("textbox", { name: "Question" }).inputValue()).toBe("");
    await page.keyboard.type("a/b?");
    expect(await page.getByRole("textbox", { name: "Question" }).inputValue()).toBe("a/b?");
    await pressKeys(page, "Shift+Tab", "?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await focused(page)).toContain('button "Close"');
    await pressKeys(page, "/");
    expect(await focused(page)).toContain('button "Close"');
    await pressKeys(page, "Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await page.evaluate("document.activeElement !== document.body")).toBe(true);
  });

  it("changes the view, searches and moves through the results", async () => {
    const page = await open();
    await page.getByRole("tab", { name: "Ask" }).focus();
    await pressKeys(page, "ArrowRight");
    await page.getByRole("searchbox").waitFor();
    await expect.poll(() => focused(page)).toContain('searchbox "Search the documents"');
    await page.keyboard.type("lamp fog");
    await page.getByRole("list", { name: "Results" }).waitFor();
    await pressKeys(page, "ArrowDown");
    expect(await focused(page)).toContain("Ask “lamp fog”");
    await pressKeys(page, "ArrowDown");
    expect(await focused(page)).toContain("guide.md");
    await pressKeys(page, "ArrowUp", "ArrowUp");
    expect(await focused(page)).toContain("searchbox");
    await pressKeys(page, "ArrowUp", "ArrowDown", "ArrowDown", "Enter");
    await page.getByRole("dialog", { name: "guide.md" }).waitFor();
    await pressKeys(page, "Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await focused(page)).toContain("guide.md");
    await pressKeys(page, "Escape");
    expect(await focused(page)).toContain("searchbox");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await page.keyboard.type("lamp");
    await pressKeys(page, "ArrowDown", "Enter");
    await page.getByRole("button", { name: "Copy answer" }).waitFor();
    expect(await focused(page)).toContain('textbox "Question"');
  });

  it("stops, edits and regenerates", async () => {
    const page = await open();
    await page.keyboard.type("Write about the lamp");
    await pressKeys(page, "Enter");
    await page.getByText("The lamp is lit").waitFor();
    await pressKeys(page, "Tab");
    expect(await focused(page)).toContain('button "Stop"');
    await pressKeys(page, "Enter");
    await page.getByText("Stopped.").waitFor();
    await page.getByRole("button", { name: "Edit" }).focus();
    await pressKeys(page, "Enter");
    expect(await focused(page)).toContain('textbox "Edit question"');
    await pressKeys(page, "Escape");
    await expect.poll(() => focused(page)).toContain('button "Edit"');
    await pressKeys(page, "Enter", "Control+a");
    await page.keyboard.type(QUESTION);
    await pressKeys(page, "Enter");
    await page.getByRole("button", { name: "Copy answer" }).waitFor();
    expect(await page.getByRole("article", { name: "Question" }).count()).toBe(1);
    await page.getByRole("button", { name: "Answer again" }).focus();
    await pressKeys(page, "Enter");
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Copy answer" }).waitFor();
    expect(await page.getByRole("article", { name: "Answer" }).count()).toBe(1);
  });
});
