import { readFile } from "node:fs/promises";
import type { NamespaceHandle } from "lorebase";
import { type FakeLanguageModel, fakeLanguageModel } from "lorebase/testing";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openPage } from "../http/support/page-server.js";
import { makePdf, pdfLines } from "../support/make-files.js";
import { makeXlsx } from "../support/make-office.js";
import { describeInBrowser, focused, newPage } from "./support/browser.js";

const QUESTION = "When is the lamp lit?";

async function visit(setup: Parameters<typeof openPage>[0] = {}, query = "") {
  const opened = await openPage(setup);
  const visited = await newPage();
  await visited.page.goto(opened.url + opened.path + query);
  return { ...opened, ...visited };
}

const PROTECTED = { protected: true, allowedEmailDomains: ["example.com"] };

/** A protected page, with a function that signs in when the session has ended. */
async function visitProtected(setup: Parameters<typeof openPage>[0] = {}) {
  const visited = await visit({ settings: PROTECTED, ...setup });
  const { page, emails } = visited;
  const signInAs = async (email: string) => {
    await page.context().clearCookies();
    await page.reload();
    const before = emails.length;
    await page.getByRole("textbox", { name: "E-mail address" }).fill(email);
    await page.keyboard.press("Enter");
    await expect.poll(() => emails.length).toBe(before + 1);
    await page.getByRole("textbox", { name: "Code" }).fill(/\d{6}/.exec(emails[before]!.text)![0]);
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Question" }).waitFor();
  };
  return { ...visited, signInAs };
}

async function ask(page: Page, question = QUESTION): Promise<void> {
  await page.getByRole("textbox", { name: "Question" }).fill(question);
  await page.keyboard.press("Enter");
}

/** Ingests a PDF file with these lines, one on each page. */
async function ingestPdf(namespace: NamespaceHandle, pages: readonly string[], chunkSize: number): Promise<void> {
  const body = await makePdf(pages.map((text) => pdfLines([text], 50, 100)));
  const { key } = await namespace.uploads.put({ fileName: "guide.pdf", contentType: "application/pdf", body });
  await namespace.ingest({ type: "MANAGED_FILE", key }, { chunkSize }).done({ throwOnFailure: true });
}

/** Waits for the end of the nth answer. */
const answered = (page: Page, nth = 1) =>
  page
    .getByRole("button", { name: "Copy answer" })
    .nth(nth - 1)
    .waitFor();
const nthAnswer = (page: Page, nth: number) => page.getByRole("article", { name: "Answer" }).nth(nth - 1);
const questionsOf = ({ calls }: FakeLanguageModel) => calls.map(({ messages }) => String(messages.at(-1)!.content));

describeInBrowser("the page", () => {
  it("streams an answer, and stops the model's call", async () => {
    const languageModel = fakeLanguageModel({ answer: () => ["The lamp is lit at dusk [1]. ", new Promise(() => {})] });
    const { page } = await visit({ kb: { languageModel } });
    await ask(page);
    await page.getByText("The lamp is lit at dusk").waitFor();
    expect(languageModel.open).toBe(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    await expect.poll(() => languageModel.open).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => languageModel.calls.length).toBe(2);
    await page.getByRole("button", { name: "Stop" }).click();
  });

  it("asks an edited question without what came after it, and answers again", async () => {
    const languageModel = fakeLanguageModel({ answer: "At dusk [1]." });
    const { page } = await visit({ kb: { languageModel } });
    await ask(page);
    await answered(page);
    await ask(page, "And what burns?");
    await answered(page, 2);
    const before = languageModel.calls.length;
    await page.getByRole("article", { name: "Question" }).first().hover();
    await page.getByRole("button", { name: "Edit" }).first().click();
    await page.getByRole("textbox", { name: "Edit question" }).fill("When does the fog horn sound?");
    await page.getByRole("button", { name: "Ask again" }).click();
    await nthAnswer(page, 2).waitFor({ state: "detached" });
    await answered(page);
    await page.getByRole("button", { name: "Answer again" }).click();
    await expect.poll(() => languageModel.calls.length).toBe(before + 2);
    for (const asked of questionsOf(languageModel).slice(before)) {
      expect(asked).toContain("When does the fog horn sound?");
      expect(asked).not.toContain("what burns");
    }
  });

  it("keeps ratings with the question, the answer and what it cites", async () => {
    const { page, namespace } = await visit();
    await ask(page);
    await answered(page);
    await page.getByRole("button", { name: "Good answer" }).click();
    await page.getByText("Thank you.").waitFor();
    await ask(page, "Does the fog horn need compressed air?");
    await answered(page, 2);
    await page.getByRole("button", { name: "Bad answer" }).click();
    expect(await focused(page)).toContain('textbox "What is wrong');
    const send = page.getByRole("button", { name: "Send feedback" });
    const [form, field] = [await send.boundingBox(), await page.locator(".composer").boundingBox()];
    expect(form!.y + form!.height).toBeLessThan(field!.y);
    await page.keyboard.type("Too short");
    await send.click();
    await nthAnswer(page, 2).getByText("Thank you.").waitFor();
    const { items } = await namespace.feedback.list();
    const kept = items.map(({ question, rating, comment, answer }) => ({ question, rating, comment, answer }));
    expect(kept).toEqual(
      expect.arrayContaining([
        { question: QUESTION, rating: "up", comment: null, answer: "The lamp is lit half an hour before sunset." },
        expect.objectContaining({
          question: "Does the fog horn need compressed air?",
          rating: "down",
          comment: "Too short",
        }),
      ]),
    );
    expect(items.every(({ chunkIds }) => chunkIds.length > 0)).toBe(true);
  });

  it("copies an answer with its numbered sources", async () => {
    const { page } = await visit();
    await ask(page);
    await answered(page);
    await page.getByRole("button", { name: "Copy answer" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "The lamp is lit half an hour before sunset. [1]\n\n[1] guide.md, Lighthouse guide › Lamp",
    );
  });

  it("marks the quoted words in the passage and in the document", async () => {
    const text =
      "# Rules\n\n## Wind\n\n1. **Gusts.** Crossings stop above *30* knots. Nobody argues.\n2. **Swell.** Nobody lands.";
    const { page } = await visit({ text });
    await ask(page, "At how many knots do crossings stop?");
    await answered(page);
    const quote = (await page.locator(".prose").textContent())!.replace(/\s*\d$/, "");
    expect(quote).toContain("Crossings stop above");
    await page.getByRole("button", { name: /^Source 1/ }).click();
    const words = (shown: string) => shown.match(/\w+/g);
    expect(words((await page.locator(".citation-card mark").allTextContents()).join(" "))).toEqual(words(quote));
    await page.getByRole("button", { name: "Open the document" }).click();
    await page.locator(".document-text mark").first().waitFor();
    expect(words((await page.locator(".document-text mark").allTextContents()).join(" "))).toEqual(words(quote));
  });

  it("links to the cited page of a PDF", async () => {
    const { page, namespace, url, path } = await visit({ text: null });
    await ingestPdf(namespace, ["The first page says little.", "The lamp is lit half an hour before sunset."], 50);
    await ask(page);
    await answered(page);
    await page.getByRole("list", { name: "Sources" }).getByRole("button").click();
    const link = page.getByRole("link", { name: "PDF, page 2" });
    const href = await link.getAttribute("href");
    expect(href).toMatch(new RegExp(`^${path}/document/doc_\\w+/file#page=2$`));
    const response = await page.request.get(url + href);
    expect(response.headers()["content-type"]).toBe("application/pdf");
  });

  it("labels a source and a marker with the page that each opens", async () => {
    const languageModel = fakeLanguageModel({
      answer: "The lamp is lit half an hour before sunset [1]. The fog horn sounds every ninety seconds [1].",
    });
    const { page, namespace } = await visit({ text: null, kb: { languageModel } });
    const pages = ["The lamp is lit half an hour before sunset.", "The fog horn sounds every ninety seconds."];
    await ingestPdf(namespace, pages, 500);
    await ask(page);
    await answered(page);
    const source = page.getByRole("list", { name: "Sources" }).getByRole("button");
    expect(await source.textContent()).toContain("Page 1");
    await source.click();
    await page.getByRole("link", { name: "PDF, page 1" }).waitFor();
    await page.keyboard.press("Escape");
    const last = page.getByRole("button", { name: /^Source 1/ }).last();
    await last.click();
    expect(await page.locator(".citation-card .place").textContent()).toBe("Page 2");
    await page.getByRole("button", { name: "Open the document" }).click();
    await page.getByRole("link", { name: "PDF, page 2" }).waitFor();
  });

  it("labels the marker of a quote from a workbook with its row", async () => {
    const { page, namespace } = await visit({ text: null });
    const rows = [
      ["Signal", "When"],
      ["Fog horn", "every ninety seconds"],
      ["Lamp", "is lit half an hour before sunset"],
    ];
    const { key } = await namespace.uploads.put({ fileName: "a.xlsx", body: makeXlsx([{ name: "Signals", rows }]) });
    await namespace.ingest({ type: "MANAGED_FILE", key }).done({ throwOnFailure: true });
    await ask(page);
    await answered(page);
    await page.getByRole("button", { name: /^Source 1/ }).click();
    expect(await page.locator(".citation-card .place").textContent()).toBe("Signals › A3:B3");
  });

  it("searches what the address asks for, and keeps the address", async () => {
    const { page } = await visit({}, "?q=fog+horn");
    await page.locator(".passages li").first().waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("fog horn");
    expect(await page.locator(".passages mark").allTextContents()).toContain("fog");
    await page.getByRole("searchbox").fill("lamp");
    await page.waitForURL(/\?q=lamp$/);
    await page.getByRole("searchbox").fill("");
    await page.waitForURL((url) => url.search === "");
  });

  it("asks what the address asks for where search is turned off", async () => {
    const { page } = await visit({ settings: { searchEnabled: false } }, `?${new URLSearchParams({ q: QUESTION })}`);
    await answered(page);
    expect(await page.locator(".question > p").textContent()).toBe(QUESTION);
    expect(await page.getByRole("tab").count()).toBe(0);
  });

  it("searches for the last of several queries only", async () => {
    const { page } = await visit();
    // Without a response.
    await page.route(/q=fog$/, () => {});
    const [asked, aborted] = [page.waitForRequest(/q=fog$/), page.waitForEvent("requestfailed")];
    await page.getByRole("tab", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("fog");
    await asked;
    await page.getByRole("searchbox").fill("lamp");
    await page.locator(".passages li").first().waitFor();
    expect(await aborted).toBe(await asked);
    expect(await page.getByRole("searchbox").inputValue()).toBe("lamp");
    expect(await page.locator(".passages mark").first().textContent()).toBe("lamp");
  });

  it("says when it may be asked again", async () => {
    const { page } = await visit({ page: { limits: { questionsPerMinute: 1 } } });
    await ask(page);
    await answered(page);
    await ask(page, "And the fog horn?");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toMatch(/^Too many requests\. Try again in \d+ seconds?\.$/);
  });

  it("signs in with the code of an e-mail, and out again", async () => {
    const { page, emails } = await visit({ settings: { protected: true, allowedEmails: ["ada@example.com"] } });
    await page.getByRole("textbox", { name: "E-mail address" }).fill("ada@example.com");
    await page.keyboard.press("Enter");
    await expect.poll(() => emails.length).toBe(1);
    await page.getByRole("textbox", { name: "Code" }).fill(/\d{6}/.exec(emails[0]!.text)![0]);
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Question" }).waitFor();
    await page.getByRole("button", { name: "Sign out ada@example.com" }).click();
    await page.getByRole("textbox", { name: "E-mail address" }).waitFor();
  });

  it("stops the answer when it signs out, and says if it could not", async () => {
    const languageModel = fakeLanguageModel({ answer: () => ["The lamp is lit at dusk. ", new Promise(() => {})] });
    const { page, signInAs } = await visitProtected({ kb: { languageModel } });
    await signInAs("ada@example.com");
    await ask(page);
    await page.getByText("The lamp is lit at dusk").waitFor();
    await page.route("**/sign-out", (route) => route.abort());
    const signOut = page.getByRole("button", { name: "Sign out ada@example.com" });
    await signOut.click();
    await page.getByText("The server can't be reached. You are still signed in.").waitFor();
    await expect.poll(() => languageModel.open).toBe(0);
    await page.unroute("**/sign-out");
    await page.route("**/sign-out", (route) => route.fulfill({ status: 500, json: { error: { message: "No." } } }));
    await signOut.click();
    await page.getByText("No. You are still signed in.").waitFor();
    await page.unroute("**/sign-out");
    await signOut.click();
    await page.getByRole("textbox", { name: "E-mail address" }).waitFor();
  });

  it("signs in with the link of an e-mail, in the browser that asked for it and once", async () => {
    const settings = { protected: true, allowedEmails: ["ada@example.com"] };
    const { page, emails, url, path } = await visit({ settings });
    await page.getByRole("textbox", { name: "E-mail address" }).fill("ada@example.com");
    await page.keyboard.press("Enter");
    await expect.poll(() => emails.length).toBe(1);
    const link = `${url}${path}#code=${/\d{6}/.exec(emails[0]!.text)![0]}`;
    const elsewhere = await newPage();
    await elsewhere.page.goto(link);
    await elsewhere.page.getByText("Open the link in the browser in which you asked for it").waitFor();
    const tab = await page.context().newPage();
    await tab.goto(link);
    await tab.getByRole("textbox", { name: "Question" }).waitFor();
    expect(tab.url()).toBe(url + path);
    await tab.getByRole("button", { name: "Sign out ada@example.com" }).click();
    await tab.getByRole("textbox", { name: "E-mail address" }).waitFor();
    await tab.goto("about:blank");
    await tab.goto(link);
    await tab.getByRole("alert").waitFor();
  });

  it("keeps conversations in the browser until they are cleared, and goes on with one", async () => {
    const { page } = await visit();
    await ask(page);
    await answered(page);
    await page.reload();
    await page.getByRole("button", { name: "Recent conversations" }).click();
    const dialog = page.getByRole("dialog", { name: "Recent conversations" });
    await dialog.getByRole("button", { name: QUESTION }).click();
    await dialog.waitFor({ state: "hidden" });
    await answered(page);
    await page.getByRole("button", { name: /^Source 1/ }).click();
    await page.locator(".citation-card mark").waitFor();
    await ask(page, "Does the fog horn need compressed air?");
    await answered(page, 2);
    await page.getByRole("button", { name: "Recent conversations" }).click();
    expect(await dialog.getByRole("listitem").count()).toBe(1);
    await dialog.getByRole("button", { name: "Clear all" }).click();
    await dialog.getByText("There are none yet.").waitFor();
    await expect.poll(() => page.evaluate("JSON.stringify({ ...localStorage })")).not.toContain("lamp");
  });

  it("leaves a kept conversation as it is until it changes", async () => {
    const { page } = await visit();
    await ask(page);
    await answered(page);
    await page.getByRole("button", { name: "New chat" }).click();
    await ask(page, "Does the fog horn need compressed air?");
    await answered(page);
    const stored = () => page.evaluate("JSON.stringify({ ...localStorage })");
    await expect.poll(stored).toContain("need compressed air?");
    const before = await stored();
    await page.reload();
    await page.getByRole("button", { name: "Recent conversations" }).click();
    const kept = page.getByRole("dialog", { name: "Recent conversations" }).getByRole("listitem");
    await expect
      .poll(() => kept.allTextContents())
      .toEqual([expect.stringContaining("compressed air?"), expect.stringContaining(QUESTION)]);
    await kept.last().getByRole("button").click();
    await answered(page);
    await page.getByRole("button", { name: "Recent conversations" }).click();
    await kept.first().getByText("compressed air?").waitFor();
    expect(await stored()).toBe(before);
  });

  it("keeps nothing on a protected page unless the visitor wants it", async () => {
    const { page, signInAs } = await visitProtected();
    await signInAs("ada@example.com");
    await ask(page);
    await answered(page);
    const stored = () => page.evaluate("JSON.stringify({ ...localStorage })");
    expect(await stored()).not.toContain("lamp");
    await page.getByRole("button", { name: "Recent conversations" }).click();
    await page.getByRole("checkbox", { name: "Keep conversations in this browser" }).check();
    await page.keyboard.press("Escape");
    await ask(page, "Does the fog horn need compressed air?");
    await answered(page, 2);
    // Stored after the answer is shown.
    await expect.poll(stored).toContain("compressed air");
    await page.getByRole("button", { name: "Recent conversations" }).click();
    await page.getByRole("checkbox", { name: "Keep conversations in this browser" }).uncheck();
    await expect.poll(stored).not.toContain("compressed air");
  });

  it("signs in with the link of an e-mail in the tab that waits for the code", async () => {
    const { page, emails, url, path } = await visit({ settings: PROTECTED });
    const open = (code: string) => page.evaluate(`location.href = ${JSON.stringify(`${url}${path}#code=${code}`)}`);
    await page.getByRole("textbox", { name: "E-mail address" }).fill("ada@example.com");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Code" }).waitFor();
    await expect.poll(() => emails.length).toBe(1);
    const code = /\d{6}/.exec(emails[0]!.text)![0];
    await open(code === "000000" ? "000001" : "000000");
    await page.getByRole("alert").waitFor();
    expect(page.url()).toBe(url + path);
    await open(code);
    await page.getByRole("textbox", { name: "Question" }).waitFor();
    expect(page.url()).toBe(url + path);
    await open(code);
    await page.waitForURL(url + path);
  });

  it("shows what it keeps to the same visitor of the same namespace only", async () => {
    const { page, signInAs, namespace, another, slug } = await visitProtected();
    const stored = () => page.evaluate("JSON.stringify({ ...localStorage })");
    const keepAnswer = async () => {
      await page.getByRole("button", { name: "Recent conversations" }).click();
      await page.getByRole("checkbox", { name: "Keep conversations in this browser" }).check();
      await page.keyboard.press("Escape");
      await ask(page);
      await answered(page);
      await expect.poll(stored).toContain("half an hour");
    };
    await signInAs("ada@example.com");
    await keepAnswer();
    expect(await stored()).not.toContain("ada@example.com");
    await signInAs("ada@example.com");
    await page.getByRole("button", { name: "Recent conversations" }).click();
    await page.getByRole("dialog").getByRole("button", { name: QUESTION }).waitFor();
    await signInAs("bob@example.com");
    await page.getByRole("button", { name: "Recent conversations" }).click();
    await page.getByText("Conversations are not kept.").waitFor();
    expect(await stored()).not.toContain("half an hour");
    await page.keyboard.press("Escape");
    await keepAnswer();
    await namespace.hosting.disable();
    await another({ ...PROTECTED, slug });
    await signInAs("bob@example.com");
    await expect.poll(stored).not.toContain("half an hour");
  });

  it("doesn't offer to keep conversations of visitors whom the host application admits", async () => {
    const { page } = await visit({ settings: { protected: true }, page: { authorize: () => true } });
    await ask(page);
    await answered(page);
    expect(await page.getByRole("button", { name: "Recent conversations" }).count()).toBe(0);
    expect(await page.evaluate("JSON.stringify({ ...localStorage })")).not.toContain("lamp");
  });

  it("downloads a conversation as Markdown with its sources", async () => {
    const { page, problems } = await visit({ settings: { title: "Light/house" } });
    await ask(page);
    await answered(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download this conversation" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("Light-house.md");
    expect(await readFile(await download.path(), "utf8")).toBe(`# Light/house

## ${QUESTION}

The lamp is lit half an hour before sunset. [1]

### Sources

\\[1\\] **guide.md**, Lighthouse guide › Lamp

> The lamp is lit half an hour before sunset.
`);
    expect(problems).toEqual([]);
  });

  it("keeps the chosen theme", async () => {
    const { page } = await visit();
    const background = () => page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor");
    const light = await background();
    await page.getByRole("button", { name: "Dark theme" }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Light theme" }).waitFor();
    expect(await background()).toBe(dark);
  });
});
