import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "lorebase/http";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { describeInBrowser, newPage } from "./support/browser.js";

/** A site with a strict policy and hostile styles that shows the panel. Violations of the policy are problems. */
async function openSite(attributes: string) {
  let pageServer = "";
  const site = createServer((_, response) => {
    const policy = [
      ...["default-src 'none'", "script-src 'nonce-abc'", "style-src 'nonce-abc'", `frame-src ${pageServer}`],
      ...["base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
    ];
    response.setHeader("content-security-policy", policy.join("; "));
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Site</title>
      <style nonce="abc">button, div { display: none !important }</style><a href="#top">A link</a>
      <script nonce="abc" src="${pageServer}/embed.js" data-slug="embedded" ${attributes}></script>`);
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => site.once("listening", listening));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const kb = openKnowledgeBase();
  const namespace = await newNamespace(kb);
  await namespace.hosting.enable({ slug: "embedded", protected: false });
  const server = await serve(kb, { port: 0, page: { frameAncestors: [origin] } });
  pageServer = server.url;
  onTestFinished(async () => {
    await server.close();
    await kb.close();
    site.closeAllConnections();
    site.close();
  });
  const { page, problems } = await newPage({ viewport: { width: 390, height: 800 } });
  await page.goto(origin);
  return { page, problems };
}

const focusedText = (page: Page) =>
  page.evaluate("document.activeElement?.shadowRoot?.activeElement?.textContent ?? null");

describeInBrowser("the panel on another site", () => {
  it("opens, closes and gives the focus back by keyboard, under a strict policy", async () => {
    const { page, problems } = await openSite('data-label="Ask <b>us</b>" defer');
    const button = page.getByRole("button", { name: "Ask <b>us</b>" });
    await button.focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "Ask <b>us</b>" });
    await panel.waitFor();
    await page.frameLocator("iframe").getByRole("heading").waitFor();
    await page.getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    expect(await focusedText(page)).toBe("Ask <b>us</b>");

    // A key in the frame reaches the page only, which tells the panel.
    await page.keyboard.press("Enter");
    await panel.waitFor();
    await page.frameLocator("iframe").getByRole("textbox", { name: "Question" }).press("Escape");
    await panel.waitFor({ state: "hidden" });
    expect(await focusedText(page)).toBe("Ask <b>us</b>");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(problems).toEqual([]);
  });

  it("listens to no other frame, and keeps the page when it is opened again", async () => {
    const { page } = await openSite('data-position="left"');
    await page.getByRole("button", { name: "Ask" }).click();
    const frame = page.frameLocator("iframe");
    const input = frame.getByRole("textbox", { name: "Question" });
    await input.fill("lamp");
    // The title of the page would be a second head.
    const heights = [frame.getByRole("heading"), frame.locator("header"), frame.getByRole("tablist")];
    const [title, header, tabs] = await Promise.all(heights.map(async (each) => (await each.boundingBox())!.height));
    expect(title).toBeLessThan(2);
    expect(header).toBeLessThan(2 * tabs!);
    await page.evaluate('postMessage("lorebase:close", "*"); new Promise(requestAnimationFrame)');
    expect(await page.getByRole("dialog").isVisible()).toBe(true);
    const box = await page.getByRole("dialog").boundingBox();
    expect(box!.x).toBeLessThan(20);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Ask" }).click();
    expect(await input.inputValue()).toBe("lamp");
  });
});
