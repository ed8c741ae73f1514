import { type FakePart, fakeLanguageModel } from "lorebase/testing";
import { expect, it } from "vitest";
import { openPage } from "../http/support/page-server.js";
import { type BrowserPage, describeInBrowser, newPage } from "./support/browser.js";

/** Cross-site scripting and exfiltration, each of which would run a script or cause a request to another origin. */
const PAYLOADS = [
  "<script>xss()</script>",
  "<img src=x onerror=xss()>",
  "<img src=https://evil.example/pixel.png>",
  "<svg onload=xss()>",
  "<svg><script>xss()</script></svg>",
  "<iframe src=https://evil.example></iframe>",
  "<iframe srcdoc='<script>parent.xss()</script>'></iframe>",
  "<object data=https://evil.example></object>",
  "<embed src=https://evil.example>",
  "<link rel=stylesheet href=https://evil.example/a.css>",
  "<style>@import 'https://evil.example/a.css'</style>",
  "<base href=https://evil.example/>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<form action=https://evil.example><button autofocus onfocus=xss()>",
  "<input autofocus onfocus=xss()>",
  "<details open ontoggle=xss()>",
  "<body onload=xss()>",
  "<video src=https://evil.example/a.mp4 autoplay>",
  "<audio src=x onerror=xss()>",
  "<math><mtext></form><form><mglyph><style></math><img src onerror=xss()>",
  "</textarea><script>xss()</script>",
  "</title><script>xss()</script>",
  "</script><script>xss()</script>",
  '"><script>xss()</script>',
  "' onmouseover='xss()",
  '" autofocus onfocus="xss()',
  "<!--<img src='--><img src=x onerror=xss()>'>",
  "<![CDATA[<script>xss()</script>]]>",
  "![pixel](https://evil.example/p.png)",
  "![pixel](https://evil.example/p.png 'title')",
  "![pixel][ref]\n\n[ref]: https://evil.example/p.png",
  "[![pixel](https://evil.example/p.png)](https://evil.example)",
  "[click](javascript:xss())",
  "[click](JaVaScRiPt:xss())",
  "[click](java\nscript:xss())",
  "[click](java&#x09;script:xss())",
  "[click](&#106;avascript:xss())",
  "[click](data:text/html,<script>xss()</script>)",
  "[click](vbscript:xss())",
  "[click](//evil.example)",
  "[click](\\\\evil.example)",
  "[click][js]\n\n[js]: javascript:xss()",
  "<javascript:xss()>",
  "<data:text/html,xss>",
  "a\u0000b<script\u0000>xss()</script>",
  "\u202Exss()\u202C",
  "{{constructor.constructor('xss()')()}}",
  "$" + "{xss()}",
  "\uE0000\uE001 \uE00099\uE001",
];
const QUESTION = "When is the lamp lit?";
const SENTENCE = "The lamp is lit half an hour before sunset";

/** Fails if a script has run, if another origin was asked, or if an element that could do either exists. */
async function expectHarmless({ page, problems, requested }: BrowserPage, url: string): Promise<void> {
  expect(problems).toEqual([]);
  expect(requested.filter((each) => !each.startsWith(`${url}/`) && !each.startsWith("data:"))).toEqual([]);
  const elements = "img, iframe, object, embed, video, audio, base, meta[http-equiv], style, form[action^=http]";
  const found = await page.evaluate(`({
    ran: window.ran ?? null,
    elements: document.querySelectorAll("${elements}").length,
    scripts: document.querySelectorAll("script:not([src]):not([type='application/json'])").length,
    links: [...document.querySelectorAll("a")].map((link) => link.getAttribute("href"))
      .filter((href) => !/^(?:https?:\\/\\/|mailto:)/.test(href ?? "")),
  })`);
  expect(found).toEqual({ ran: null, elements: 0, scripts: 0, links: [] });
}

async function visit(setup: Parameters<typeof openPage>[0]) {
  const opened = await openPage(setup);
  const visited = await newPage();
  await visited.page.addInitScript("window.xss = () => (window.ran = true)");
  await visited.page.goto(opened.url + opened.path);
  await visited.page.getByRole("textbox", { name: "Question" }).waitFor();
  return { ...opened, ...visited };
}

async function ask({ page }: BrowserPage): Promise<void> {
  await page.getByRole("textbox", { name: "Question" }).fill(QUESTION);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy answer" }).waitFor();
}

/** Cuts a text at every `size` characters. */
function cut(text: string, size: number): readonly FakePart[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

describeInBrowser("harmless", () => {
  it("is what a hostile model says, cut anywhere", async () => {
    const texts = [PAYLOADS.map((payload) => `${payload} [1]`).join("\n\n"), ...PAYLOADS];
    const script = texts.map((text, index) => cut(`${SENTENCE} [1]. ${text}`, 1 + (index % 7)));
    const languageModel = fakeLanguageModel({ chunkSize: 10_000, script });
    const visited = await visit({ kb: { languageModel }, page: { limits: { questionsPerMinute: 1000 } } });
    for (const _ of texts) {
      await ask(visited);
      expect(await visited.page.locator(".prose").textContent()).toContain(SENTENCE);
      await expectHarmless(visited, visited.url);
      await visited.page.getByRole("button", { name: "New chat" }).click();
    }
    expect(languageModel.calls).toHaveLength(texts.length);
  });

  it("is an answer that is nested too deeply", async () => {
    const depths = [300, 1000, 3000, 30_000];
    const script = depths.map((depth) => [`${SENTENCE} [1].\n\n${"> ".repeat(depth)}end`]);
    const languageModel = fakeLanguageModel({ chunkSize: 100_000, script });
    const visited = await visit({ kb: { languageModel } });
    for (const _ of depths) {
      await ask(visited);
      expect(await visited.page.locator(".prose").textContent()).toMatch(/end$/);
      await expectHarmless(visited, visited.url);
      await visited.page.getByRole("button", { name: "New chat" }).click();
    }
  });

  it("is what hostile documents say, in answers, results and the viewer", async () => {
    const text = PAYLOADS.map((payload) => `## ${payload.split("\n")[0]}\n\n${SENTENCE}. ${payload}`).join("\n\n");
    const visited = await visit({ text, page: { metadata: ["year", "secret"] } });
    const { page, url } = visited;
    await ask(visited);
    await page
      .getByRole("button", { name: /^Source 1/ })
      .first()
      .click();
    await page.getByRole("dialog", { name: "Source 1" }).waitFor();
    await expectHarmless(visited, url);
    await page.getByRole("button", { name: "Open the document" }).click();
    await page.locator(".document-text mark").waitFor();
    const shown = await page.locator(".document-text").textContent();
    for (const payload of ["<script>xss()</script>", "<img src=x onerror=xss()>", "$" + "{xss()}"])
      expect(shown).toContain(payload);
    await expectHarmless(visited, url);
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("lamp script");
    await page.getByRole("list", { name: "Results" }).waitFor();
    await expectHarmless(visited, url);
    await page.goto(`${url}${visited.path}?${new URLSearchParams({ q: `lamp ${PAYLOADS.slice(0, 30).join(" ")}` })}`);
    await page.getByRole("list", { name: "Results" }).waitFor();
    await expectHarmless(visited, url);
  });

  it("is what names, metadata and the settings of the page say", async () => {
    const opened = await openPage();
    const visited = await newPage();
    await visited.page.addInitScript("window.xss = () => (window.ran = true)");
    const payloads = PAYLOADS.filter((each) => !each.includes("\n") && !each.includes("\u0000"));
    // Three on a page, which takes longer to load than to check.
    for (let start = 0; start < payloads.length; start += 3) {
      const together = payloads.slice(start, start + 3);
      const title = `${together.join(" ")} x`.slice(0, 200);
      await opened.namespace.hosting.update({
        ...{
          title,
          ogTitle: title.slice(0, 70),
          ogDescription: title,
          welcomeMessage: together.join("\n\n"),
          citationMetadataPath: "name",
        },
        ...{ exampleQuestions: together, exampleSearchQueries: together },
      });
      await visited.page.goto(opened.url + opened.path);
      for (const payload of together) await visited.page.getByText(payload.trim()).first().waitFor();
      expect(await visited.page.title()).toContain("x");
      await expectHarmless(visited, opened.url);
    }
  });
});
