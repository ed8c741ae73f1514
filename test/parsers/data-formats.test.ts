import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { makeNotebook, sourceFile } from "../support/make-files.js";

const parse = (name: string | null, content: string) => parseDocument(sourceFile(name, content));
const shown = async (name: string, content: string) =>
  (await parse(name, content)).blocks.map((block) => [block.kind, block.text]);

describe("notebooks", () => {
  test("have text, code with its language, and what it printed", async () => {
    const notebook = makeNotebook([
      { cell_type: "markdown", source: ["# Title\n", "\n", "Text with ![alt](attachment:a.png)."] },
      {
        cell_type: "code",
        source: "print(1)",
        outputs: [
          { output_type: "stream", name: "stdout", text: ["one\n", "\u001b[31mtwo\u001b[0m\n"] },
          { output_type: "display_data", data: { "image/png": "AAAA", "text/plain": ["<Figure size 1x1>"] } },
          {
            output_type: "execute_result",
            data: { "text/html": ["<table><tr><th>a<tr><td>1</table><p>rows"], "text/plain": "a" },
          },
          { output_type: "error", ename: "ValueError", evalue: "bad", traceback: ["line 1"] },
        ],
      },
    ]);
    const { blocks, title, metadata, warnings } = await parse("a.ipynb", notebook);
    expect(blocks.map((block) => [block.kind, block.text])).toEqual([
      ["heading", "Title"],
      ["paragraph", "Text with ![alt](attachment:a.png)."],
      ["code", "print(1)"],
      ["code", "one\ntwo"],
      ["paragraph", "a"],
      ["paragraph", "1"],
      ["paragraph", "rows"],
      ["code", "line 1\nValueError: bad"],
    ]);
    expect(blocks[2]!.language).toBe("python");
    expect({ title, metadata, warnings }).toEqual({
      title: "Title",
      metadata: { programmingLanguage: "python" },
      warnings: ["An image in the outputs could not be read."],
    });
  });

  test("warn of a chart that has no image, and not of one that has text", async () => {
    const plotly = { "application/vnd.plotly.v1+json": { data: [] } };
    const outputs = [plotly, { ...plotly, "text/plain": "<plotly>" }, { ...plotly, "text/html": "<p>Text" }].map(
      (data) => ({ output_type: "display_data", data }),
    );
    const { warnings } = await parse("a.ipynb", makeNotebook([{ cell_type: "code", source: "plot()", outputs }]));
    expect(warnings).toEqual(["2 charts in the outputs could not be read."]);
  });

  test("what is none is refused", async () => {
    await expect(parse("a.ipynb", '{"a": "cells"}')).resolves.toMatchObject({ mimeType: "application/json" });
    await expect(parse("a.ipynb", '{"cells": 1, "cell_type":')).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("subtitles", () => {
  test("cues of one speaker are a paragraph that begins with its time", async () => {
    const vtt = `WEBVTT - Talk
Language: en

NOTE not said

1
00:01.000 --> 00:03.000 align:start
<v Zoë>Welcome to
the <i>show</i>.

00:03.000 --> 00:05.000
<v Zoë>Good &amp; new.

00:05.000 --> 00:06.000
<v Al>Thanks.

01:00:10.500 --> 01:00:12.000
<v Al>Much later.
`;
    const { blocks, title, metadata } = await parse("a.vtt", vtt);
    expect(blocks.map((block) => block.text)).toEqual([
      "[00:01] Zoë: Welcome to the show. Good & new.",
      "[00:05] Al: Thanks.",
      "[01:00:10] Al: Much later.",
    ]);
    expect({ title, metadata }).toEqual({ title: "Talk", metadata: { language: "en", durationSeconds: 3612 } });
  });

  test("SubRip is recognised without a name, and rolling captions are told once", async () => {
    const srt =
      "1\n00:00:01,000 --> 00:00:02,000\nfirst line\n\n2\n00:00:02,000 --> 00:00:03,000\nfirst line\nsecond line\n";
    const { blocks, mimeType } = await parse(null, srt);
    expect(mimeType).toBe("application/x-subrip");
    expect(blocks.map((block) => block.text)).toEqual(["[00:01] first line second line"]);
  });

  test("a long talk has a time every thousand characters", async () => {
    const cues = Array.from(
      { length: 300 },
      (_, i) =>
        `00:${String(Math.floor(i / 60)).padStart(2, "0")}:${String(i % 60).padStart(2, "0")},000 --> 00:${String(Math.floor((i + 1) / 60)).padStart(2, "0")}:${String((i + 1) % 60).padStart(2, "0")},000\nwords without an end ${i}\n`,
    );
    const { blocks } = await parse("a.srt", cues.join("\n"));
    expect(blocks.length).toBeGreaterThan(5);
    for (const block of blocks) expect(block.text.length).toBeLessThan(1100);
  });
});

describe("XML", () => {
  test("elements with text are lines, attributes are kept, titles are headings", async () => {
    const xml = `<?xml version="1.0"?><catalog><title>Plants</title>
      <plant id="p1"><name>Fern</name><price currency="EUR">3</price><size w="1" h="2"/></plant>
      <note>This is <b>mixed</b> text.</note></catalog>`;
    expect(await shown("a.xml", xml)).toEqual([
      ["heading", "Plants"],
      ["paragraph", "id: p1\nname: Fern\nprice: 3 (currency: EUR)\nsize: w: 1, h: 2"],
      ["paragraph", "note: This is mixed text."],
    ]);
  });

  test("entities of its own are never expanded", async () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "text"><!ENTITY c "&b;&b;">]><a>&c;</a>';
    await expect(parse("a.xml", bomb)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("two hundred thousand records are read", async () => {
    const { blocks } = await parse("a.xml", `<r>${"<x><y>1</y></x>".repeat(200_000)}</r>`);
    expect(blocks).toHaveLength(200_000);
  });

  test("as many attributes as a tag may have are read in one go", async () => {
    const attributes = Array.from({ length: 300_000 }, (_, index) => `a${index}="1"`).join(" ");
    const { blocks } = await parse("a.xml", `<r ${attributes}>text</r>`);
    expect(blocks.map(({ text }) => text).join("\n")).toContain("text");
  });

  test("a file that breaks off is refused", async () => {
    await expect(parse("a.xml", "<a><b>text</b>")).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("feeds", () => {
  test("RSS has its entries as sections", async () => {
    const rss = `<rss version="2.0" xmlns:content="c" xmlns:dc="d"><channel><title>News</title><link>https://a.example</link>
      <item><title>One &amp; only</title><link>https://a.example/1</link><pubDate>Tue, 20 Feb 2024</pubDate>
      <dc:creator>Zoë</dc:creator><category>x</category><description>short</description>
      <content:encoded><![CDATA[<p>Long <b>text</b>.</p><ul><li>item</li></ul>]]></content:encoded></item></channel></rss>`;
    const parsed = await parse("feed.xml", rss);
    expect(parsed.blocks.map((block) => [block.kind, block.text])).toEqual([
      ["heading", "News"],
      ["heading", "One & only"],
      ["paragraph", "Link: https://a.example/1\nDate: Tue, 20 Feb 2024\nAuthor: Zoë\nCategories: x"],
      ["paragraph", "Long text."],
      ["list_item", "item"],
    ]);
    expect(parsed).toMatchObject({
      title: "News",
      mimeType: "application/rss+xml",
      metadata: { url: "https://a.example" },
    });
  });

  test("Atom may write its content as elements", async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>x</id><entry><title type="html">A &lt;b&gt;b&lt;/b&gt;</title>
      <link href="https://a.example/1"/><updated>2024-02-20</updated><content type="xhtml"><div><p>Text &amp; more.</p></div></content></entry></feed>`;
    const { blocks, mimeType } = await parse(null, atom);
    expect(mimeType).toBe("application/atom+xml");
    expect(blocks.map((block) => block.text)).toEqual([
      "News",
      "A b",
      "Link: https://a.example/1\nDate: 2024-02-20",
      "Text & more.",
    ]);
  });
});

test("a limit of a document's blocks names the file", async () => {
  const lines = Array.from({ length: 1_000_001 }, () => "a\n\n").join("");
  const parsed = parseDocument(sourceFile("lamps.txt", new TextEncoder().encode(lines)), {});
  await expect(parsed).rejects.toMatchObject({
    code: "limit_exceeded",
    message: '"lamps.txt" has more than the 1000000 paragraphs, headings and tables allowed.',
  });
});
