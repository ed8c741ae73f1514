import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fill } from "#dist/http/page/strings/fill.js";
import { findViolations } from "./support/axe.js";
import { describeInBrowser, newPage } from "./support/browser.js";
import { openLighthouse } from "./support/lighthouse.js";
import { englishIn, matching, type PageTexts, textsIn } from "./support/texts.js";

const VIEWS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 390 },
  { colorScheme: "light", width: 390 },
  { colorScheme: "dark", width: 1280 },
] as const;
const ALL = process.env.LOREBASE_TEST_VIEWS === "all";
/** Both themes and both widths; each with each in the campaign. */
const tested = ALL ? VIEWS : VIEWS.slice(0, 2);
/** The phone, on which texts from right to left have the least room; all in the campaign. */
const testedMirrored = ALL ? VIEWS : VIEWS.slice(1, 2);

/** A page in one of its languages. */
interface Opened {
  readonly page: Page;
  readonly texts: PageTexts;
}

const button = ({ page }: Opened, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const firstSource = ({ client }: PageTexts) => fill(client.sourceTitled, { number: "1", title: "guide.md" });

async function ask(opened: Opened, question: string): Promise<void> {
  const { page, texts } = opened;
  await page.getByRole("textbox", { name: texts.client.question, exact: true }).fill(question);
  await button(opened, texts.client.send).click();
}

/** Asks in a new conversation, since the model is also asked about what a question after another means. */
async function askAnew(opened: Opened, question: string): Promise<void> {
  await button(opened, opened.texts.client.newChat).click();
  await ask(opened, question);
}

/** Leads from one state of the page to another. */
type Step = (opened: Opened) => Promise<unknown>;

/** The states of the page, each by what leads to it from the one before it. */
const JOURNEYS: Readonly<Record<string, Readonly<Record<string, Step>>>> = {
  "an answer": {
    empty: (opened) => button(opened, "When is the lamp lit?").waitFor(),
    async answered(opened) {
      await ask(opened, "When is the lamp lit?");
      await button(opened, opened.texts.client.copyAnswer).waitFor();
    },
    async citation(opened) {
      const { page, texts } = opened;
      await button(opened, firstSource(texts)).first().click();
      await page.getByRole("dialog", { name: fill(texts.client.source, { number: "1" }) }).waitFor();
    },
    async document(opened) {
      await button(opened, opened.texts.client.openDocument).click();
      await opened.page.locator(".document-text mark").waitFor();
    },
    async history(opened) {
      const { page, texts } = opened;
      await page.keyboard.press("Escape");
      await button(opened, texts.client.recentConversations).click();
      await page.getByRole("dialog", { name: texts.client.recentConversations }).waitFor();
    },
    async comment(opened) {
      const { client } = opened.texts;
      await opened.page.keyboard.press("Escape");
      await button(opened, client.badAnswer).click();
      await button(opened, client.sendFeedback).waitFor();
    },
    async thanked(opened) {
      const { page, texts } = opened;
      await button(opened, texts.client.goodAnswer).click();
      await page.getByText(texts.client.thanks, { exact: true }).waitFor();
    },
    async edited(opened) {
      const { page, texts } = opened;
      await page.getByRole("article", { name: texts.client.question }).hover();
      await button(opened, texts.client.edit).click();
      await page.getByRole("textbox", { name: texts.client.editQuestion }).waitFor();
    },
  },
  "answers that are not complete": {
    async reading(opened) {
      const { page, texts } = opened;
      await ask(opened, "Wait: when is the lamp lit?");
      await page.getByText(matching(texts.client.reading)).waitFor();
    },
    async writing(opened) {
      await button(opened, opened.texts.client.stop).click();
      await askAnew(opened, "Write: when is the lamp lit?");
      await opened.page.getByText("The lamp is lit").waitFor();
    },
    async stopped(opened) {
      const { page, texts } = opened;
      await button(opened, texts.client.stop).click();
      await page.getByText(texts.client.stopped, { exact: true }).waitFor();
    },
    async searching(opened) {
      const { page, texts } = opened;
      await page.route("**/chat", () => {});
      await askAnew(opened, "When is the lamp lit?");
      await page.getByText(texts.client.searching, { exact: true }).first().waitFor();
    },
  },
  "answers that fail": {
    async unanswered(opened) {
      await ask(opened, "Unknown: when is the lamp lit?");
      await opened.page.getByText(opened.texts.client.closestPassages).waitFor();
    },
    async failed(opened) {
      await askAnew(opened, "Fail: when is the lamp lit?");
      await button(opened, opened.texts.client.tryAgain).waitFor();
    },
    async expired(opened) {
      const { page, texts } = opened;
      const message = texts.server.errors.sign_in_required;
      await page.route("**/chat", (route) =>
        route.fulfill({ status: 403, json: { error: { code: "sign_in_required", message } } }),
      );
      await askAnew(opened, "When is the lamp lit?");
      await button(opened, texts.client.signInAgain).waitFor();
    },
    async limited(opened) {
      const { page, texts } = opened;
      await page.route("**/chat", (route) =>
        route.fulfill({ status: 429, headers: { "retry-after": "7" }, json: { error: { code: "rate_limited" } } }),
      );
      await askAnew(opened, "When is the lamp lit?");
      await page.getByText(matching(texts.client.rateLimitedFor)).waitFor();
    },
  },
  "a search": {
    async search(opened) {
      await opened.page.getByRole("tab", { name: opened.texts.client.search }).click();
      await button(opened, "fog horn").waitFor();
    },
    async loading({ page }) {
      await page.route("**/search?*", () => {});
      await page.getByRole("searchbox").fill("lamp");
      await page.locator(".skeleton").waitFor();
    },
    async results({ page, texts }) {
      await page.unroute("**/search?*");
      await page.getByRole("searchbox").fill("fog horn");
      await page.getByRole("list", { name: texts.client.results }).waitFor();
    },
    async nothing({ page }) {
      await page.route("**/search?*", (route) => route.fulfill({ json: { passages: [] } }));
      await page.getByRole("searchbox").fill("zebra");
      await page.locator(".nothing").waitFor();
    },
    async unreachable({ page }) {
      await page.route("**/search?*", (route) => route.abort());
      await page.getByRole("searchbox").fill("lamp");
      await page.getByRole("alert").waitFor();
    },
  },
  "the keyboard": {
    async help({ page, texts }) {
      await page.locator("body").press("Tab");
      await page.locator("h1").click();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: texts.client.keyboardShortcuts }).waitFor();
    },
  },
};

/** Takes the steps of a journey on a desktop, and calls a function in each state. */
async function travel(journey: string, opened: Opened, check: (state: string) => Promise<void>): Promise<void> {
  for (const [state, step] of Object.entries(JOURNEYS[journey]!)) {
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    await step(opened);
    await check(state);
  }
}

/** The violations in each view. */
async function violationsIn(page: Page, views: typeof tested = tested): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { colorScheme, width } of views) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    found.push(...(await findViolations(page)).map((violation) => `${colorScheme} ${width} ${violation}`));
  }
  return found;
}

const views = tested.map(({ colorScheme, width }) => `${colorScheme} ${width}`).join(", ");

describeInBrowser(`has no accessibility violation (${views})`, () => {
  let address: string;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const limits = { questionsPerMinute: 1000 };
    const settings = { welcomeMessage: null };
    const { url, path } = await openLighthouse({ settings, page: { limits } }, (close) => closes.push(close));
    address = url + path;
  });
  afterAll(() => Promise.all(closes.map((close) => close())));

  it.each(Object.keys(JOURNEYS))("%s", async (journey) => {
    const { page, problems } = await newPage();
    const texts = await textsIn("en");
    await page.goto(address);
    await travel(journey, { page, texts }, async (state) => {
      expect(await violationsIn(page), state).toEqual([]);
    });
    expect(problems).toEqual([]);
  });

  it.each(Object.keys(JOURNEYS))(
    "%s, in a language from right to left, all of whose texts are translated",
    async (journey) => {
      const { page, problems } = await newPage({ locale: "ar" });
      const texts = await textsIn("ar");
      await page.goto(address);
      expect(await page.evaluate("getComputedStyle(document.body).direction")).toBe("rtl");
      await travel(journey, { page, texts }, async (state) => {
        expect(await violationsIn(page, testedMirrored), state).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), state).toBe(true);
        expect(await englishIn(page, texts), state).toEqual([]);
      });
      expect(problems).toEqual([]);
    },
  );

  it.each(["en", "ar"])("signing in, and where no page is: %s", async (locale) => {
    const { url, path } = await openLighthouse({ settings: { protected: true, allowedEmails: ["ada@example.com"] } });
    const { page, problems } = await newPage({ locale });
    const texts = await textsIn(locale);
    const { client } = texts;
    const found = async () => [...(await violationsIn(page)), ...(await englishIn(page, texts))];
    await page.goto(url + path);
    await page.getByRole("textbox", { name: client.emailAddress }).fill("ada@example.com");
    expect(await found()).toEqual([]);
    await page.getByRole("button", { name: client.sendCode }).click();
    await page.getByRole("textbox", { name: client.code, exact: true }).fill("wrong");
    await page.getByRole("button", { name: client.signIn }).click();
    await page.getByRole("alert").waitFor();
    expect(await found()).toEqual([]);
    await page.goto(`${url}/h/no-such-page`);
    expect(await found()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
