import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { toMarkdown } from "#dist/parsers/shared/blocks/to-markdown.js";
import { makeMsg, makePdf, sourceFile } from "../support/make-files.js";

const HEAD = "From: Zoë <zoe@example.com>\nTo: Al <al@example.com>\nDate: Tue, 20 Feb 2024 10:15:00 +0000\n";
const parse = (content: string | Uint8Array, name = "a.eml") => parseDocument(sourceFile(name, content));
const markdown = async (content: string, name?: string) => toMarkdown((await parse(content, name)).blocks);

/** The parts of a message, each with its header. */
function multipart(kind: string, ...parts: string[]): string {
  const boundary = `b${parts.join().length}`;
  const body = parts.map((part) => `--${boundary}\n${part}\n`).join("");
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\n\n${body}--${boundary}--\n`;
}

function attached(name: string, content: string | Uint8Array, type = "application/octet-stream"): string {
  const base64 = Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\n");
  return `Content-Type: ${type}; name="${name}"\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${base64}`;
}

const plain = (text: string) => `Content-Type: text/plain; charset=utf-8\n\n${text}`;
const html = (text: string) => `Content-Type: text/html; charset=utf-8\n\n${text}`;

describe("a message", () => {
  test("has its subject as heading, its header as a block, and its text", async () => {
    const message = `Subject: =?UTF-8?B?${Buffer.from("Grüße ☺").toString("base64")}?=\nCc: B <b@example.com>\n${HEAD}\nHello,\n\n> quoted\nanswer\n`;
    const { blocks, title, metadata } = await parse(message);
    expect(blocks.map((block) => [block.kind, block.text])).toEqual([
      ["heading", "Grüße ☺"],
      [
        "paragraph",
        "From: Zoë <zoe@example.com>\nTo: Al <al@example.com>\nCc: B <b@example.com>\nDate: Tue, 20 Feb 2024 10:15:00 +0000",
      ],
      ["paragraph", "Hello,"],
      ["paragraph", "> quoted\nanswer"],
    ]);
    expect(title).toBe("Grüße ☺");
    expect(metadata).toMatchObject({ from: "Zoë <zoe@example.com>", date: "2024-02-20T10:15:00.000Z" });
  });

  test("is told once where text and HTML say the same", async () => {
    const text = plain("Dear all,\n\nthe *meeting* is on https://example.com/x Monday.");
    const rich = html("<p>Dear all,</p><p>the <b>meeting</b> is <a href='https://example.com/x'>on</a> Monday.</p>");
    const body = await markdown(`Subject: S\n${HEAD}${multipart("alternative", text, rich)}`);
    expect(body.match(/Monday/g)).toHaveLength(1);
    expect(body).toContain("[on](https://example.com/x)");
  });

  test("is told in both where they differ", async () => {
    const body = await markdown(
      `Subject: S\n${HEAD}${multipart("alternative", plain("Only the plain text says this."), html("<p>Rich words here.</p>"))}`,
    );
    expect(body).toMatch(/Only the plain text says this\.[\s\S]*Rich words here\./);
  });

  test("may be in any charset, also as a whole in UTF-16", async () => {
    const latin = Buffer.from(`${HEAD}Content-Type: text/plain; charset=iso-8859-1\n\nGr\xfc\xdfe`, "latin1");
    expect(toMarkdown((await parse(latin)).blocks)).toContain("Grüße");
    const wide = Buffer.from(`\ufeff${HEAD}\nWide text`, "utf16le");
    expect(toMarkdown((await parse(wide)).blocks)).toContain("Wide text");
  });

  test("may have bytes of a charset that it doesn't declare, in its header and its text", async () => {
    const latin = (text: string) => Buffer.from(text, "latin1");
    const bare = toMarkdown(
      (await parse(latin(`Subject: Gr\xfc\xdfe aus K\xf6ln\n${HEAD.replace("ë", "e")}\nF\xfcr Zo\xeb.`))).blocks,
    );
    expect(bare).toMatch(/^# Grüße aus Köln\n[\s\S]*Für Zoë\.$/);
    const wrong = latin(`${HEAD.replace("ë", "e")}Content-Type: text/plain; charset=utf-8\n\nF\xfcr Zo\xeb.`);
    expect(toMarkdown((await parse(wrong)).blocks)).toContain("Für Zoë.");
  });

  test("is recognised without a name", async () => {
    expect((await parseDocument(sourceFile(null, `Subject: S\n${HEAD}\nText`))).mimeType).toBe("message/rfc822");
    expect((await parseDocument(sourceFile(null, "Note: this\nis text\n"))).mimeType).toBe("text/plain");
  });

  test.each([
    ["multipart/encrypted; protocol=x; boundary=b", /is encrypted \(PGP\/MIME\)/],
    ["application/pkcs7-mime; smime-type=enveloped-data", /is encrypted \(S\/MIME\)/],
  ])("that is %s is refused", async (type, message) => {
    await expect(parse(`${HEAD}Content-Type: ${type}\n\nMIIB`)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message),
    });
  });
});

test("an Outlook message whose sectors go in circles is refused, not followed", async () => {
  const message = makeMsg({ subject: "S", sender: "Zoë", to: [], body: "Text. ".repeat(2000) });
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const table = (view.getUint32(76, true) + 1) * (1 << view.getUint16(30, true));
  // The last sector that has a follower leads back to itself.
  let sector = 127;
  while (view.getUint32(table + sector * 4, true) > 0xffff) sector--;
  view.setUint32(table + sector * 4, sector, true);
  await expect(parse(message, "a.msg")).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("damaged compound file"),
  });
});

test.each(["x", "----=_Part"])("a message of too many parts is refused, with the boundary %s", async (boundary) => {
  const parts = `--${boundary}\n\n`.repeat(20_001);
  const message = `Subject: S\n${HEAD}Content-Type: multipart/mixed; boundary="${boundary}"\n\n${parts}--${boundary}--\n`;
  await expect(parse(message)).rejects.toThrow(/more than the 20000 parts allowed/);
});

test("lines of dashes in a text are not counted as parts", async () => {
  const { blocks } = await parse(`Subject: S\n${HEAD}\n${`${"-".repeat(40)}\n-- \n`.repeat(20_001)}The end.\n`);
  expect(blocks.at(-1)?.text).toContain("The end.");
});

describe("attachments", () => {
  test("are read by the other parsers, under their names", async () => {
    const pdf = await makePdf([[{ text: "Inside a PDF", x: 50, y: 100 }]]);
    const { blocks, warnings } = await parse(
      `Subject: S\n${HEAD}${multipart("mixed", plain("See these."), attached("a.pdf", pdf), attached("t.csv", "x,y\n1,2"))}`,
    );
    expect(blocks.map((block) => [block.text, block.headingPath.join(" > ")]).slice(2)).toEqual([
      ["See these.", "S"],
      ["a.pdf", "S"],
      ["Inside a PDF", "S > a.pdf"],
      ["t.csv", "S"],
      ["| x | y |\n| --- | --- |\n| 1 | 2 |", "S > t.csv"],
    ]);
    expect(blocks.every((block) => block.page === undefined)).toBe(true);
    expect(warnings).toEqual([]);
  });

  test("that cannot be read are named in a warning", async () => {
    const { warnings } = await parse(
      `Subject: S\n${HEAD}${multipart("mixed", plain("See this."), attached("a.bin", Buffer.from("fLaC recording")))}`,
    );
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"a.bin"');
  });

  test("are followed three deep", async () => {
    let message = `Subject: level 4\n${HEAD}\ninnermost text`;
    for (let level = 3; level >= 0; level--) {
      message = `Subject: level ${level}\n${HEAD}${multipart("mixed", plain(`text ${level}`), `Content-Type: message/rfc822\nContent-Disposition: attachment; filename="m${level}.eml"\n\n${message}`)}`;
    }
    const { blocks, warnings } = await parse(message);
    const text = toMarkdown(blocks);
    expect(text).toContain("text 3");
    expect(text).not.toContain("innermost text");
    expect(warnings.join()).toMatch(/"m3\.eml".*nested deeper than the 3 levels/);
  });
});

test("a mailbox has each message under its subject", async () => {
  const message = (n: number) =>
    `From zoe@example.com Tue Feb 20 10:15:00 2024\nSubject: S${n}\n${HEAD}\nText ${n}\nFrom here on.\n\n`;
  const { blocks } = await parse(message(1) + message(2), "a.mbox");
  expect(blocks.filter((block) => block.kind === "heading").map((block) => block.text)).toEqual(["S1", "S2"]);
  expect(toMarkdown(blocks)).toContain("Text 2\nFrom here on.");
});

test("an Outlook message has the same shape", async () => {
  const msg = makeMsg({
    subject: "Plan für Ulm",
    sender: "Zoë",
    to: [{ name: "Al", email: "al@example.com" }],
    body: "First.\r\n\r\nSecond.",
    attachments: [{ name: "note.txt", text: "Attached words" }],
  });
  const { blocks, title, mimeType, warnings } = await parse(msg, "a.msg");
  expect(blocks.map((block) => block.text)).toEqual([
    "Plan für Ulm",
    "From: Zoë\nTo: Al <al@example.com>\nAttachments: note.txt",
    "First.",
    "Second.",
    "note.txt",
    "Attached words",
  ]);
  expect({ title, mimeType, warnings }).toEqual({
    title: "Plan für Ulm",
    mimeType: "application/vnd.ms-outlook",
    warnings: [],
  });
});

describe("an Outlook message with nothing but RTF", () => {
  const rtfMessage = (compressedRtf: Uint8Array) =>
    parse(makeMsg({ subject: "S", sender: "Zoë", to: [], compressedRtf }), "a.msg");
  /** The header of RTF that is not compressed. */
  const bare = (rtf: string) => {
    const header = Buffer.alloc(16);
    header.writeUInt32LE(rtf.length + 12, 0);
    header.writeUInt32LE(rtf.length, 4);
    header.write("MELA", 8, "latin1");
    return Buffer.concat([header, Buffer.from(rtf, "latin1")]);
  };

  // The examples of MS-OXRTFCP, 3.1 and 3.2.
  test.each([
    [
      "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020627705b06c647d0a800fa0",
      "hello world",
    ],
    ["1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0", "WXYZWXYZWXYZWXYZWXYZ"],
  ])("is decompressed", async (hex, text) => {
    const { blocks, warnings } = await rtfMessage(Buffer.from(hex.replace(" ", ""), "hex"));
    expect(blocks.map((block) => block.text)).toEqual(["S", "From: Zoë", text]);
    expect(warnings).toEqual([]);
  });

  test("is read with its paragraphs, also where that holds HTML", async () => {
    const rtf =
      "{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}First one.\\htmlrtf\\par\\htmlrtf0 {\\*\\htmltag72 </p>}Second one.\\par}";
    const { blocks } = await rtfMessage(bare(rtf));
    expect(blocks.map((block) => block.text).slice(2)).toEqual(["First one.", "Second one."]);
  });

  test.each([bare("no RTF at all"), Buffer.from("neither one nor the other")])(
    "that is damaged is told in a warning",
    async (body) => {
      const { blocks, warnings } = await rtfMessage(body);
      expect(blocks.map((block) => block.text)).toEqual(["S", "From: Zoë"]);
      expect(warnings).toEqual([expect.stringContaining("was not read")]);
    },
  );
});
