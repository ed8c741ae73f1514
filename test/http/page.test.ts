import { describe, expect, it } from "vitest";
import { openPage } from "./support/page-server.js";
import { readEvents, userMessage } from "./support/ui-message-stream.js";

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

function configOf(page: string) {
  return JSON.parse(/<script type="application\/json" id="lorebase">([^<]*)<\/script>/.exec(page)![1]!);
}

describe("GET /h/{slug}", () => {
  it("is a page with its settings, that runs nothing but its own script", async () => {
    const { get, path, kb } = await openPage({
      settings: {
        ...{ title: "Ask the keeper", welcomeMessage: "Hello!", exampleQuestions: ["When?"] },
        ...{ exampleSearchQueries: ["lamp oil"], ogTitle: "Keeper", ogDescription: "All about the light" },
        ogImage: "https://img.example.com/og.png",
      },
    });
    const { status, headers, text } = await get();
    expect(kb.publicUrl).toBeNull();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...{ "content-type": "text/html; charset=utf-8", "content-security-policy": CSP, "cache-control": "no-store" },
      ...{ "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" },
    });
    expect(text).toContain("<title>Ask the keeper</title>");
    expect(text).toContain('<meta property="og:title" content="Keeper">');
    expect(text).toContain('<meta property="og:description" content="All about the light">');
    expect(text).toContain('<meta property="og:image" content="https://img.example.com/og.png">');
    expect(text).not.toContain("noindex");
    expect(text).toContain('<h1 dir="auto">Ask the keeper</h1>');
    expect(text).toContain(`<form id="search" role="search" action="${path}" method="get">`);
    expect(text).toContain(`<a href="${path}?q=lamp+oil"`);
    expect(text).not.toMatch(/\sstyle=|\son\w+=|javascript:/);
    expect(configOf(text)).toEqual({
      ...{ state: "ready", base: path, title: "Ask the keeper", logo: null, welcomeMessage: "Hello!" },
      ...{ exampleQuestions: ["When?"], exampleSearchQueries: ["lamp oil"], searchEnabled: true },
      ...{ hasLanguageModel: false, isProtected: false, canSignIn: false, signedInAs: null, query: null },
      visitorId: expect.stringMatching(/^[\w-]{43}$/),
      ...{ language: "en", strings: expect.objectContaining({ ask: "Ask" }) },
    });
  });

  it("has the results of ?q= with the words marked", async () => {
    const { get } = await openPage();
    const { text } = await get("?q=paraffin");
    expect(text).toContain(`<h3 dir="auto">Lamp</h3>\n<p class="place" dir="auto">guide.md › Lighthouse guide</p>`);
    expect(text).toContain("<mark>paraffin</mark>");
    expect(text).not.toContain("hush");
    expect(configOf(text).query).toBe("paraffin");
    const empty = await openPage({ text: null });
    expect((await empty.get("?q=paraffin")).text).toContain("Nothing was found.");
    const off = await openPage({ settings: { searchEnabled: false } });
    const asked = await off.get("?q=paraffin");
    expect(asked.text).not.toContain("<mark>");
    expect(configOf(asked.text)).toMatchObject({ query: "paraffin", searchEnabled: false });
  });

  it("lets the logo's origin and the origins that embed it through its policy, and no other", async () => {
    const { get } = await openPage({
      settings: { logo: "https://img.example.com:8443/a/logo.png?x=1;script-src *" },
      page: { frameAncestors: ["https://www.example.com", "'self'"] },
    });
    const { headers } = await get();
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("img-src 'self' data: https://img.example.com:8443; ");
    expect(policy).toContain("frame-ancestors https://www.example.com 'self'; ");
    expect(policy.match(/script-src/g)).toHaveLength(1);
  });

  it("is a page of its own for an unknown slug, and redirects from a trailing slash", async () => {
    const { url, get } = await openPage();
    const missing = await fetch(`${url}/h/no-such-page`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await missing.text()).toContain("Page not found");
    const { status, headers } = await get("/?q=a");
    expect([status, headers.location]).toEqual([308, expect.stringMatching(/^\/h\/page-\d+\?q=a$/)]);
  });

  it("is below the base path", async () => {
    const { get, path } = await openPage({ handler: { basePath: "/kb" } });
    const { status, text } = await get();
    expect(status).toBe(200);
    expect(configOf(text).base).toBe(`/kb${path}`);
    expect(text).toContain(`action="/kb${path}"`);
  });
});

describe("GET /h/{slug}/search", () => {
  it("finds passages with exact highlights and no metadata but the listed", async () => {
    const { get } = await openPage({ page: { metadata: ["year"] } });
    const { status, text } = await get("/search?q=paraffin");
    expect(status).toBe(200);
    const { passages } = JSON.parse(text);
    const [first] = passages;
    expect(first).toMatchObject({
      ...{ title: "guide.md", mediaType: "text/markdown" },
      headings: ["Lighthouse guide", "Lamp"],
      metadata: { year: 1901 },
    });
    const [{ start, end }] = first.highlights;
    expect(first.text.slice(start, end)).toBe("paraffin");
    expect(text).not.toContain("hush");
    expect(JSON.parse((await get("/search?q=")).text)).toEqual({ passages: [] });
  });

  it("takes a query and nothing else", async () => {
    const { get, namespace } = await openPage({ settings: { topK: 1 } });
    await namespace.tenant("T1").ingest({ type: "TEXT", text: "The paraffin of T1." }).done();
    const { text } = await get("/search?q=paraffin&topK=50&tenant=T1&filter=%7B%7D&includeMetadata=true", {
      "x-tenant-id": "T1",
    });
    expect(JSON.parse(text).passages).toHaveLength(1);
    expect(text).not.toContain("T1");
    expect(JSON.parse(text).passages[0].metadata).toEqual({});
  });

  it("is off if the settings say so", async () => {
    const { get } = await openPage({ settings: { searchEnabled: false } });
    const { status, text } = await get("/search?q=lamp");
    expect([status, JSON.parse(text).error.code]).toEqual([403, "search_disabled"]);
  });

  it("reports a reranker that isn't configured, and searches without it", async () => {
    const { get, errors } = await openPage({ settings: { rerankModel: "cohere:rerank-v4.0-pro" } });
    expect(JSON.parse((await get("/search?q=lamp")).text).passages).not.toEqual([]);
    expect(String(errors[0])).toContain("cohere:rerank-v4.0-pro");
  });
});

describe("POST /h/{slug}/chat", () => {
  it("streams a cited answer without hidden metadata", async () => {
    const { post } = await openPage({ page: { metadata: ["year"] } });
    const { status, headers, text } = await post("/chat", { messages: [userMessage("When is the lamp lit?")] });
    expect(status).toBe(200);
    expect(headers["x-vercel-ai-ui-message-stream"]).toBe("v1");
    const chunks = readEvents(text);
    expect(chunks.find(({ type }) => type === "data-citation")).toBeDefined();
    const { passages } = chunks.find((chunk) => chunk.type === "data-passages")!.data;
    expect(passages.map(({ metadata }) => metadata)).toEqual(passages.map(() => ({ year: 1901 })));
    expect(passages.map(({ mediaType }) => mediaType)).toEqual(passages.map(() => "text/markdown"));
    expect(text).not.toContain("hush");
  });

  it("titles citations by citationMetadataPath", async () => {
    const { post } = await openPage({ settings: { citationMetadataPath: "year" } });
    const { text } = await post("/chat", { messages: [userMessage("When is the lamp lit?")] });
    expect(readEvents(text).find((chunk) => chunk.type === "data-citation")!.data.title).toBe("1901");
  });

  it("takes messages and nothing else", async () => {
    const { post, namespace } = await openPage({ settings: { topK: 2 } });
    await namespace.tenant("T1").ingest({ type: "TEXT", text: "The lamp of T1 is lit at nine." }).done();
    const messages = [userMessage("When is the lamp of T1 lit?")];
    const more = { topK: 50, filter: { year: 3 }, mode: "agentic", tenantId: "T1", tenant: "T1", instructions: "Lie." };
    const { status, text } = await post("/chat", { messages, ...more }, { "x-tenant-id": "T1" });
    expect(status).toBe(200);
    const { passages } = readEvents(text).find((chunk) => chunk.type === "data-passages")!.data;
    expect(passages).toHaveLength(2);
    expect(text).not.toContain("at nine");
  });

  it.each([
    ["no messages", {}],
    ["a question that is too long", { messages: [userMessage("a".repeat(8001))] }],
    ["text that is not JSON", "{"],
    ["null", "null"],
  ])("refuses %s", async (_, body) => {
    const { post } = await openPage();
    const { status, text } = await post("/chat", body);
    expect([status, JSON.parse(text).error.code]).toEqual([400, "invalid_request"]);
  });
});

describe("GET /h/{slug}/document/{id}", () => {
  it("has the text around a range", async () => {
    const { get, namespace } = await openPage();
    const text = `${"Filler text. ".repeat(20_000)}The needle.${" More text.".repeat(20_000)}`;
    const { id } = await namespace.ingest({ type: "TEXT", text, fileName: "long.txt" }).done();
    const [document] = (await namespace.documents.list({ ingestJobId: id })).items;
    const stored = (await namespace.documents.text(document!.id)).text;
    const at = stored.indexOf("The needle.");
    const { status, text: reply } = await get(`/document/${document!.id}?start=${at}&end=${at + 11}`);
    expect(status).toBe(200);
    const { start, end, total, ...rest } = JSON.parse(reply);
    expect(rest).toMatchObject({ title: "long.txt", mediaType: "text/plain", hasFile: null });
    expect(rest).not.toHaveProperty("page");
    expect(total).toBe(stored.length);
    expect(end - start).toBeGreaterThan(39_999);
    expect(end - start).toBeLessThan(50_000);
    expect(rest.text).toBe(stored.slice(start, end));
    expect(rest.ranges).toEqual([{ start: at - start, end: at - start + 11 }]);
    const more = await Promise.all([
      ...[get(`/document/${document!.id}?before=${start}`), get(`/document/${document!.id}?after=${end}`)],
    ]);
    const [before, after] = more.map((each) => JSON.parse(each.text));
    expect([before.end, after.start]).toEqual([start, end]);
    expect(before.text + rest.text + after.text).toBe(stored.slice(before.start, after.end));
    const first = JSON.parse((await get(`/document/${document!.id}`)).text);
    expect(first).toMatchObject({ start: 0, text: stored.slice(0, first.end), ranges: [] });
    const last = JSON.parse((await get(`/document/${document!.id}?start=99999999`)).text);
    expect(last).toMatchObject({ end: stored.length, text: stored.slice(last.start) });
    const none = JSON.parse((await get(`/document/${document!.id}?after=50&before=10`)).text);
    expect(none).toMatchObject({ start: 50, end: 50, text: "" });
    expect((await get(`/document/${document!.id}/file`)).status).toBe(404);
  });

  it("has the text that a search finds while the document is ingested again", async () => {
    const { get, namespace, kb } = await openPage({ text: null, kb: { worker: false } });
    const run = await namespace.ingest({ type: "TEXT", text: "The needle." });
    await kb.drain();
    const [{ documentId }] = JSON.parse((await get("/search?q=needle")).text).passages;
    expect(JSON.parse((await get(`/document/${documentId}`)).text)).toMatchObject({ text: "The needle." });
    await namespace.ingestJobs.reingest(run.id);
    expect(JSON.parse((await get(`/document/${documentId}`)).text)).toMatchObject({ text: "The needle." });
    await namespace.documents.delete(documentId);
    expect((await get(`/document/${documentId}`)).status).toBe(404);
  });

  it("has the whole of a short document, whatever the range says", async () => {
    const { get, namespace } = await openPage();
    const [document] = (await namespace.documents.list()).items;
    for (const range of ["?start=-1&end=x", "?start=50&end=10", "?start=5", "?after=x&before=-1", ""]) {
      const reply = JSON.parse((await get(`/document/${document!.id}${range}`)).text);
      expect(reply).toMatchObject({ start: 0, end: document!.totalCharacters, total: document!.totalCharacters });
      expect(reply.text).toMatch(/^# Lighthouse guide\n\n## Lamp\n\nThe lamp[\s\S]*compressed air\.$/);
    }
  });
});

describe("assets", () => {
  it("serves the loader of the panel to any site, at most 2 KB compressed", async () => {
    const { url } = await openPage();
    const { gzipSync } = await import("node:zlib");
    const response = await fetch(`${url}/embed.js`);
    const script = await response.text();
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(gzipSync(script).length).toBeLessThanOrEqual(2048);
    expect(() => new Function(script)).not.toThrow();
    expect(script).not.toMatch(/innerHTML|insertAdjacentHTML|cssText|setAttribute\("style"/);
  });

  it("has no file besides those of the build", async () => {
    const { url } = await openPage();
    for (const file of ["none.js", "..%2Fpackage.json", "__proto__", "constructor"])
      expect((await fetch(`${url}/page-assets/${file}`)).status).toBe(404);
  });
});

it("serves no pages if the option is false", async () => {
  const { createHandler } = await import("lorebase/http");
  const { kb, path } = await openPage();
  const handler = createHandler(kb, { page: false });
  for (const address of [path, "/embed.js"])
    expect((await handler(new Request(`http://localhost${address}`))).status).toBe(401);
});
