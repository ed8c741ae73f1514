import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";

// The headless shell takes two thirds of the processor time of the full browser.
const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
];
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
  const key = JSON.stringify(options);
  const profile = unused.get(key)?.pop() ?? (await Profile.open(options));
  onTestFinished(async () => {
    await profile.clear();
    unused.set(key, [...(unused.get(key) ?? []), profile]);
  });
  return profile.newPage();
}

/** Profiles that no test uses, by their options. */
const unused = new Map<string, Profile[]>();

/** A profile of the browser, used by one test after another: a new one takes 0.5 s of processor time. */
class Profile {
  readonly #context: BrowserContext;
  /** Clears the profile. Its page stays open, empty: without one, the browser ends processes that the next page needs. */
  readonly #session: CDPSession;
  #problems: string[] = [];
  #requested: string[] = [];

  static async open(options: BrowserContextOptions): Promise<Profile> {
    const context = await browser.newContext({
      reducedMotion: "reduce",
      viewport: { width: 1280, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    const profile = new Profile(context, await context.newCDPSession(await context.newPage()));
    await context.exposeFunction("reportViolation", (text: string) => profile.#problems.push(text));
    await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
      reportViolation(event.violatedDirective + " " + event.blockedURI + " " + event.sample))`);
    return profile;
  }

  private constructor(context: BrowserContext, session: CDPSession) {
    this.#context = context;
    this.#session = session;
    context.on("request", (request) => this.#requested.push(request.url()));
  }

  async newPage(): Promise<BrowserPage> {
    const problems: string[] = [];
    const requested: string[] = [];
    this.#problems = problems;
    this.#requested = requested;
    const page = await this.#context.newPage();
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("dialog", (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return { page, problems, requested };
  }

  /** Closes the pages of a test, and removes their cookies and what they stored. */
  async clear(): Promise<void> {
    const [, ...pages] = this.#context.pages();
    await Promise.all(pages.map((page) => page.close()));
    for (const origin of new Set(this.#requested.map((url) => new URL(url).origin)))
      await this.#session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await this.#context.clearCookies();
  }
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
