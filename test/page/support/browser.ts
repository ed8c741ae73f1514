import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";

const CANDIDATES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
if (!executablePath) console.warn("No Chromium was found: set CHROMIUM_PATH to run the tests in a browser.");

let browser: Browser;

/** Tests that need Chromium: at CHROMIUM_PATH, or where Debian and Google install it. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(!executablePath)(name, () => {
    beforeAll(async () => {
      const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
      browser = await chromium.launch({ executablePath: executablePath!, args });
    });
    afterAll(() => browser?.close());
    tests();
  });
}

export interface BrowserPage {
  readonly page: Page;
  /** Violations of the content security policy, dialogs, and errors of scripts. */
  readonly problems: readonly string[];
  /** The URLs that were requested. */
  readonly requested: readonly string[];
}

/** Opens an empty page with a profile of its own, without animations. */
export async function newPage(options: BrowserContextOptions = {}): Promise<BrowserPage> {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  const requested: string[] = [];
  await context.exposeFunction("reportViolation", (text: string) => problems.push(text));
  await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    reportViolation(event.violatedDirective + " " + event.blockedURI + " " + event.sample))`);
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("request", (request) => requested.push(request.url()));
  return { page, problems, requested };
}

export async function pressKeys(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The role and name of the focused element, as `button "Send"`; empty if there is none. */
export async function focused(page: Page): Promise<string> {
  if (await page.evaluate("document.activeElement === document.body")) return "";
  const text = await page.locator("*:focus").ariaSnapshot();
  return text.replace(/^- /, "").split("\n")[0]!;
}
