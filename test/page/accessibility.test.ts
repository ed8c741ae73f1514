import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findViolations } from "./support/axe.js";
import { describeInBrowser, newPage } from "./support/browser.js";
import { openLighthouse } from "./support/lighthouse.js";

const VIEWS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 390 },
  { colorScheme: "light", width: 390 },
  { colorScheme: "dark", width: 1280 },
] as const;
/** Both themes and both widths; with `--mode all-views` each with each. */
const tested = process.env.MODE === "all-views" ? VIEWS : VIEWS.slice(0, 2);

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Question" }).fill(question);
  await page.getByRole("button", { name: "Send" }).click();
}

/** Each state of the page, by what leads to it from the page as it is opened. */
const STATES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  empty: (page) => page.getByRole("button", { name: "When is the lamp lit?" }).waitFor(),
  async searching(page) {
    await page.route("**/chat", () => {});
    await ask(page, "When is the lamp lit?");
    await page.getByText("Searching", { exact: true }).first().waitFor();
  },
  async reading(page) {
    await ask(page, "Wait: when is the lamp lit?");
    await page.getByText(/^Reading \d passages?$/).waitFor();
  },
  async writing(page) {
    await ask(page, "Write: when is the lamp lit?");
    await page.getByText("The lamp is lit").waitFor();
  },
  async stopped(page) {
    await STATES.writing!(page);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
  },
  async answered(page) {
    await ask(page, "When is the lamp lit?");
    await page.getByRole("button", { name: "Copy answer" }).waitFor();
  },
  async citation(page) {
    await STATES.answered!(page);
    await page
      .getByRole("button", { name: /^Source 1/ })
      .first()
      .click();
    await page.getByRole("dialog", { name: "Source 1" }).waitFor();
  },
  async document(page) {
    await STATES.citation!(page);
    await page.getByRole("button", { name: "Open the document" }).click();
    await page.locator(".document-text mark").waitFor();
  },
  async comment(page) {
    await STATES.answered!(page);
    await page.getByRole("button", { name: "Bad answer" }).click();
    await page.getByRole("button", { name: "Send feedback" }).waitFor();
  },
  async thanked(page) {
    await STATES.answered!(page);
    await page.getByRole("button", { name: "Good answer" }).click();
    await page.getByText("Thank you.").waitFor();
  },
  async edited(page) {
    await STATES.answered!(page);
    await page.getByRole("article", { name: "Question" }).hover();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Edit question" }).waitFor();
  },
  async unanswered(page) {
    await ask(page, "Unknown: when is the lamp lit?");
    await page.getByText("Closest passages").waitFor();
  },
  async failed(page) {
    await ask(page, "Fail: when is the lamp lit?");
    await page.getByRole("button", { name: "Try again" }).waitFor();
  },
  async limited(page) {
    await page.route("**/chat", (route) =>
      route.fulfill({ status: 429, headers: { "retry-after": "7" }, json: { error: { code: "rate_limited" } } }),
    );
    await ask(page, "When is the lamp lit?");
    await page.getByText("Try again in 7 seconds").waitFor();
  },
  async expired(page) {
    await page.route("**/chat", (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: "sign_in_required", message: "Sign in to use this page." } },
      }),
    );
    await ask(page, "When is the lamp lit?");
    await page.getByRole("button", { name: "Sign in again" }).waitFor();
  },
  async search(page) {
    await page.getByRole("tab", { name: "Search" }).click();
    await page.getByRole("button", { name: "fog horn" }).waitFor();
  },
  async loading(page) {
    await page.route("**/search?*", () => {});
    await STATES.search!(page);
    await page.getByRole("searchbox").fill("lamp");
    await page.locator(".skeleton").waitFor();
  },
  async results(page) {
    await STATES.search!(page);
    await page.getByRole("searchbox").fill("fog horn");
    await page.getByRole("list", { name: "Results" }).waitFor();
  },
  async nothing(page) {
    await page.route("**/search?*", (route) => route.fulfill({ json: { passages: [] } }));
    await STATES.search!(page);
    await page.getByRole("searchbox").fill("zebra");
    await page.getByText("Nothing was found").waitFor();
  },
  async unreachable(page) {
    await page.route("**/search?*", (route) => route.abort());
    await STATES.search!(page);
    await page.getByRole("searchbox").fill("lamp");
    await page.getByRole("alert").waitFor();
  },
  async history(page) {
    await STATES.answered!(page);
    await page.getByRole("button", { name: "Recent conversations" }).click();
    await page.getByRole("dialog", { name: "Recent conversations" }).waitFor();
  },
  async help(page) {
    await page.locator("body").press("Tab");
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  },
};

/** The violations in both themes, on a phone and on a desktop. */
async function violationsIn(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { colorScheme, width } of tested) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    found.push(...(await findViolations(page)).map((violation) => `${colorScheme} ${width} ${violation}`));
  }
  return found;
}

describeInBrowser("has no accessibility violation", () => {
  let address: string;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const limits = { questionsPerMinute: 1000 };
    const { url, path } = await openLighthouse({ page: { limits } }, (close) => closes.push(close));
    address = url + path;
  });
  afterAll(() => Promise.all(closes.map((close) => close())));

  it.each(Object.keys(STATES))("%s", async (state) => {
    const { page, problems } = await newPage();
    await page.goto(address);
    await STATES[state]!(page);
    expect(await violationsIn(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("signing in, and where no page is", async () => {
    const { url, path } = await openLighthouse({ settings: { protected: true, allowedEmails: ["ada@example.com"] } });
    const { page, problems } = await newPage();
    await page.goto(url + path);
    await page.getByRole("textbox", { name: "E-mail address" }).fill("ada@example.com");
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole("button", { name: "Send code" }).click();
    await page.getByRole("textbox", { name: "Code" }).fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.goto(`${url}/h/no-such-page`);
    expect(await violationsIn(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
