import { parse } from "parse5";
import { describe, expect, it } from "vitest";
import { html, jsonForScript } from "#dist/http/html.js";
import { openPage } from "./support/page-server.js";

const HOSTILE = [
  "<script>alert(1)</script>",
  "</script><script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "<svg/onload=alert(1)>",
  "<!--<script>",
  "--><script>alert(1)</script>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "javascript:alert(1)",
  "<a href=javascript:alert(1)>x</a>",
  "{{alert(1)}}",
  "\u2028alert(1)\u2029",
  "\u0000<script>alert(1)</script>",
  "<base href=https://evil.example>",
  "<meta http-equiv=refresh content=0;url=https://evil.example>",
  "<style>*{background:url(https://evil.example)}</style>",
  "]]><script>alert(1)</script>",
  "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
];

interface Node {
  readonly nodeName: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Node[];
}

function* elementsOf(node: Node): Generator<Node> {
  yield node;
  for (const child of node.childNodes ?? []) yield* elementsOf(child);
}

/** The elements and attributes of a page by name, without the texts. */
function shapeOf(page: string): string {
  const elements = [...elementsOf(parse(page) as unknown as Node)].filter(({ nodeName }) => !nodeName.startsWith("#"));
  return elements.map(({ nodeName, attrs = [] }) => [nodeName, ...attrs.map(({ name }) => name)].join(" ")).join("\n");
}

describe("a page with hostile settings and documents", () => {
  it.each(HOSTILE)("has the elements of a harmless one: %s", async (text) => {
    const settingsOf = (value: string) => ({
      ...{ title: value, welcomeMessage: value, ogTitle: value.slice(0, 70), ogDescription: value },
      ...{ exampleSearchQueries: [value], exampleQuestions: [value], citationMetadataPath: "title" },
      ogImage: `https://img.example/?${encodeURIComponent(value)}`,
      logo: `https://img.example/?${encodeURIComponent(value)}`,
    });
    const open = async (value: string) => {
      const page = await openPage({ settings: settingsOf(value), page: { metadata: ["title"] }, text: null });
      // Text with a zero byte is refused as binary.
      const document = `# ${value}\n\nThe lamp burns paraffin. ${value}`.replaceAll("\0", "");
      const name = value.replaceAll(/[/\\\0]/g, "");
      await page.namespace
        .ingest({ type: "TEXT", text: document, fileName: `${name}.md` }, { metadata: { title: value } })
        .done({ throwOnFailure: true });
      return page;
    };
    const [hostile, harmless] = [await open(text), await open("Harmless")];
    // An unreadable heading may be left out, but never adds an element.
    const elements = (page: string) => shapeOf(page).replaceAll("\np class dir", "");
    expect(elements((await hostile.get("?q=paraffin")).text)).toBe(elements((await harmless.get("?q=paraffin")).text));
    expect(shapeOf((await hostile.get()).text)).toBe(shapeOf((await harmless.get()).text));
    const asked = (await hostile.get(`?q=${encodeURIComponent(text)}`)).text;
    expect(shapeOf(asked)).not.toMatch(/iframe|svg|base|style|\bon\w+/);
    const [, json = ""] = /<script type="application\/json" id="lorebase">([^<]*)<\/script>/.exec(asked)!;
    expect(JSON.parse(json)).toMatchObject({ title: text, query: text.trim() });
    const search = await hostile.get("/search?q=paraffin");
    expect(search.headers["content-type"]).toBe("application/json");
    expect(search.headers["x-content-type-options"]).toBe("nosniff");
  });

  it("has no page for a hostile slug", async () => {
    const { url } = await openPage({ text: null });
    for (const text of HOSTILE) {
      const response = await fetch(`${url}/h/${encodeURIComponent(text)}`);
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain("alert");
    }
  });
});

describe("a file", () => {
  it.each(["a\"b';x=1.pdf", "line\r\nbreak.pdf", "…/../../etc/passwd.pdf", "ä字.pdf", "<script>.pdf"])(
    "is shown inline with a safe name: %s",
    async (fileName) => {
      const page = await openPage({ text: null });
      const { PDFDocument } = await import("pdf-lib");
      const pdf = await PDFDocument.create();
      pdf.addPage().drawText("The lamp is lit at dusk.");
      const body = await pdf.save();
      const { key } = await page.namespace.uploads.put({ fileName, contentType: "application/pdf", body });
      const job = await page.namespace.ingest({ type: "MANAGED_FILE", key }).done({ throwOnFailure: true });
      const [document] = (await page.namespace.documents.list({ ingestJobId: job.id })).items;
      const { text } = await page.get(`/document/${document!.id}`);
      expect(JSON.parse(text)).toMatchObject({ hasFile: "pdf" });
      const { status, headers, bytes } = await page.get(`/document/${document!.id}/file`);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("application/pdf");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["content-disposition"]).toMatch(
        /^inline; filename(?:\*=UTF-8''[\w.%!'()*~-]+|="[^"\r\n]*"|=[\w.]+)/,
      );
      expect(headers["content-disposition"]).not.toMatch(/[/\r\n]/);
      expect(bytes.subarray(0, 5).toString()).toBe("%PDF-");
      const part = await page.get(`/document/${document!.id}/file`, { range: "bytes=0-4" });
      expect([part.status, part.text]).toEqual([206, "%PDF-"]);
    },
  );

  it("that isn't a PDF is not served", async () => {
    const page = await openPage({ text: null });
    const body = new TextEncoder().encode("<script>alert(1)</script><p>The lamp is lit at dusk.</p>");
    const { key } = await page.namespace.uploads.put({ fileName: "a.html", contentType: "text/html", body });
    const job = await page.namespace.ingest({ type: "MANAGED_FILE", key }).done({ throwOnFailure: true });
    const [document] = (await page.namespace.documents.list({ ingestJobId: job.id })).items;
    expect(JSON.parse((await page.get(`/document/${document!.id}`)).text).hasFile).toBeNull();
    expect((await page.get(`/document/${document!.id}/file`)).status).toBe(404);
  });
});

describe("html", () => {
  it("escapes values, but not HTML", () => {
    const list = ["<b>", '"'].map((value) => html`<li title="${value}">${value}</li>`);
    expect(html`<ul>${list}${null}${false}${0}</ul>`.text).toBe(
      '<ul><li title="&#60;b&#62;">&#60;b&#62;</li><li title="&#34;">&#34;</li>0</ul>',
    );
  });

  it("writes JSON that can't end its script", () => {
    const { text } = jsonForScript({ a: "</script><!--\u2028&" });
    expect(text).toBe('{"a":"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026"}');
    expect(JSON.parse(text)).toEqual({ a: "</script><!--\u2028&" });
  });
});
