import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { PeekableFile } from "#dist/parse-workers/peekable-file.js";
import { processHost, threadHost } from "#dist/parse-workers/worker-host.js";
import { WorkerSlot } from "#dist/parse-workers/worker-slot.js";
import { needsSeparateProcess } from "#dist/parsers/needs-separate-process.js";
import { failureOf } from "../support/knowledge-base.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const MEGABYTE = 1024 * 1024;
const slots: WorkerSlot[] = [];
afterEach(async () => {
  await Promise.all(slots.splice(0).map((slot) => slot.close()));
});

/**
 * The entry of a test worker: runs the statements for each document; `answer(title)` sends a finished one, `call(name,
 * input)` calls the caller.
 */
function entry(statements: string): URL {
  const path = join(temporaryDirectory(), `${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(
    path,
    `import { parentPort } from "node:worker_threads";
     const post = (message) => parentPort ? parentPort.postMessage(message) : process.send(message);
     const document = { chunks: [], text: [], pageStarts: [], warnings: [], metadata: {}, pages: null, mimeType: "", characters: 0 };
     const call = (name, input) => post({ kind: "call", id: 0, name, input });
     let documents = 0;
     (parentPort ?? process).on("message", ({ id, input: { file: { name } } }) => {
       documents++;
       const answer = (title) => post({ kind: "reply", id, output: { title, ...document, hasMore: false } });
       ${statements}
     });
     process.on("disconnect", () => process.exit());`,
  );
  return pathToFileURL(path);
}

function processSlot(statements: string, { maxBytes = 512 * MEGABYTE, maxDocuments = 100 } = {}): WorkerSlot {
  const slot = new WorkerSlot(processHost(entry(statements), { maxBytes }), { maxDocuments });
  slots.push(slot);
  return slot;
}

const chunk = { chunkSize: 100, maxChunkSize: 200, chunkOverlap: 0, delimiter: null, maxTokens: null };
const prepare = (slot: WorkerSlot, name: string, { timeoutMs = 30_000, signal = new AbortController().signal } = {}) =>
  slot.prepare(
    new PeekableFile({ name, mimeType: null, bytes: new Uint8Array([1]) }),
    { signal, parse: {}, chunk: { ...chunk, countTokens: async () => [] } },
    timeoutMs,
  );

describe("a process", () => {
  it("that crashes fails only its document", async () => {
    const slot = processSlot(`if (name === "bad") process.abort(); else answer(name);`);
    expect((await prepare(slot, "one")).title).toBe("one");
    const failure = await failureOf(() => prepare(slot, "bad"));
    expect([failure.code, failure.message]).toEqual(["internal", "The parser crashed: it was terminated by SIGABRT."]);
    expect((await prepare(slot, "two")).title).toBe("two");
  });

  it("over its memory limit is killed, even if the memory is outside the JavaScript heap", async () => {
    const slot = processSlot(
      `if (name === "big") { const held = []; const more = () => { held.push(Buffer.alloc(${16 * MEGABYTE}, 1)); setImmediate(more); }; more(); } else answer(name);`,
      { maxBytes: 256 * MEGABYTE },
    );
    const failure = await failureOf(() => prepare(slot, "big"));
    expect([failure.code, failure.message]).toEqual([
      "limit_exceeded",
      "Parsing needed more memory than the 256 MB allowed and was stopped.",
    ]);
    expect((await prepare(slot, "small")).title).toBe("small");
  });

  it("whose heap is exhausted fails with limit_exceeded, not as a crash", async () => {
    const fill = `const held = []; for (;;) held.push({ a: [held.length] });`;
    const slot = processSlot(`if (name === "big") { ${fill} } else answer(name);`, { maxBytes: 256 * MEGABYTE });
    expect((await failureOf(() => prepare(slot, "big"))).code).toBe("limit_exceeded");
    expect((await prepare(slot, "small")).title).toBe("small");
  });

  it("that holds much memory after a document is replaced", async () => {
    const slot = processSlot(
      `globalThis.held = Buffer.alloc(name === "big" ? ${120 * MEGABYTE} : 0, 1); setTimeout(() => answer(String(documents)), 200);`,
      { maxBytes: 256 * MEGABYTE },
    );
    const counts = [];
    for (const name of ["small", "big", "small", "small"]) counts.push((await prepare(slot, name)).title);
    expect(counts).toEqual(["1", "2", "1", "2"]);
  });

  it("that exceeds the time limit is killed, even within an endless loop", async () => {
    const slot = processSlot(`if (name === "endless") for (;;) {} else answer(name);`);
    const failure = await failureOf(() => prepare(slot, "endless", { timeoutMs: 300 }));
    expect(failure.code).toBe("limit_exceeded");
    expect((await prepare(slot, "next")).title).toBe("next");
  });

  it("is terminated when its document is aborted", async () => {
    const slot = processSlot(`if (name === "slow") { /* never answers */ } else answer(name);`);
    const abort = new AbortController();
    const waiting = prepare(slot, "slow", { signal: abort.signal });
    abort.abort(new DOMException("enough", "AbortError"));
    await expect(waiting).rejects.toThrow("enough");
    expect((await prepare(slot, "next")).title).toBe("next");
  });

  it("is replaced after its maximum of documents", async () => {
    const slot = processSlot("answer(String(documents));", { maxDocuments: 3 });
    const counts = [];
    for (let document = 0; document < 7; document++) counts.push((await prepare(slot, "any")).title);
    expect(counts).toEqual(["1", "2", "3", "1", "2", "3", "1"]);
  });

  it("that is closed fails the pending document", async () => {
    const slot = processSlot("/* never answers */");
    const failure = failureOf(() => prepare(slot, "any"));
    await slot.close();
    expect((await failure).code).toBe("closed");
  });
});

it("a thread that crashes fails only its document", async () => {
  const slot = new WorkerSlot(threadHost(entry(`if (name === "bad") throw new Error("broken"); else answer(name);`)));
  slots.push(slot);
  const failure = await failureOf(() => prepare(slot, "bad"));
  expect(failure.message).toBe("The parser crashed: broken.");
  expect((await prepare(slot, "two")).title).toBe("two");
});

it("a thread whose heap is exhausted fails only its document", async () => {
  const fill = `const held = []; for (;;) held.push({ a: [held.length] });`;
  const slot = new WorkerSlot(threadHost(entry(`if (name === "big") { ${fill} } else answer(name);`)));
  slots.push(slot);
  const failure = await failureOf(() => prepare(slot, "big"));
  expect([failure.code, failure.message]).toEqual([
    "limit_exceeded",
    "Parsing needed more memory than the 192 MB allowed and was stopped.",
  ]);
  expect((await prepare(slot, "small")).title).toBe("small");
});

it.each([
  ["%PDF-1.7", true],
  ["\ufeff\n%PDF-1.4", true],
  ["\x89PNG\r\n", true],
  ["\xff\xd8\xff\xe0", true],
  ["RIFF....WEBP", true],
  ["RIFF....WAVE", false],
  ["\xd0\xcf\x11\xe0\xa1\xb1", true],
  ["PK\x03\x04", true],
  ["plain text", false],
])("detects from the first bytes whether a file needs a process: %j", (head, expected) => {
  expect(needsSeparateProcess({ name: null, mimeType: null, bytes: Buffer.from(head, "latin1") })).toBe(expected);
});

it.each(["process", "thread"] as const)("closing waits for a busy %s to end", async (kind) => {
  const script = `
    const { WorkerSlot } = await import(dist + "parse-workers/worker-slot.js");
    const { processHost, threadHost } = await import(dist + "parse-workers/worker-host.js");
    let begin;
    const begun = new Promise((resolve) => { begin = resolve; });
    const open = argv[0] === "process" ? processHost(new URL(argv[1]), { maxBytes: 2 ** 30 }) : threadHost(new URL(argv[1]));
    const slot = new WorkerSlot(open);
    const countTokens = async () => { begin(); return []; };
    const chunk = { chunkSize: 100, maxChunkSize: 200, chunkOverlap: 0, delimiter: null, maxTokens: 50, countTokens };
    const { PeekableFile } = await import(dist + "parse-workers/peekable-file.js");
    const document = slot.prepare(new PeekableFile({ name: "a", mimeType: null, bytes: new Uint8Array([1]) }), { parse: {}, chunk }, 30000).catch(({ code }) => code);
    await begun;
    await slot.close();
    console.log("closed", await document);`;
  const busy = entry(`call("countTokens", ["a"]); setInterval(() => {}, 1000);`);
  expect(await runScript(script, [kind, busy.href])).toMatchObject({ code: 0, stdout: "closed closed\n" });
});

it("detects from the name or type that a message may have such a file attached", () => {
  const bytes = Buffer.from("Subject: S\n\nText");
  expect(needsSeparateProcess({ name: "a.EML", mimeType: null, bytes })).toBe(true);
  expect(needsSeparateProcess({ name: "a", mimeType: "message/rfc822; charset=utf-8", bytes })).toBe(true);
  expect(needsSeparateProcess({ name: "a.txt", mimeType: "text/plain", bytes })).toBe(false);
});

it("a thread says why it skips an attachment that needs a process, and what to do", async () => {
  const script = `
    import { Worker } from "node:worker_threads";
    const source = 'import { parentPort, workerData } from "node:worker_threads";'
      + 'const { parseDocument } = await import(workerData + "parsers/parse-document.js");'
      + 'const part = (headers, body) => ["--b", ...headers, "", body, ""].join("\\\\n");'
      + 'const text = "From: a@b.example\\\\nTo: c@b.example\\\\nSubject: S\\\\nMIME-Version: 1.0\\\\nContent-Type: multipart/mixed; boundary=b\\\\n\\\\n"'
      + '+ part(["Content-Type: text/plain"], "Text") + part(["Content-Type: application/pdf; name=a.pdf"], "%PDF-1.7") + "--b--\\\\n";'
      + 'const { warnings } = await parseDocument({ name: null, mimeType: null, bytes: Buffer.from(text) });'
      + 'parentPort.postMessage(warnings.join());';
    const worker = new Worker(new URL("data:text/javascript," + encodeURIComponent(source)), { workerData: dist });
    worker.on("message", (warnings) => console.log(warnings));`;
  expect((await runScript(script, [])).stdout).toBe(
    '"a.pdf" within the file was not read: "a.pdf" was not parsed because the message that contains it has ' +
      "neither the extension nor the MIME type of a message. Give the message the extension .eml, .mbox or .mhtml, or set " +
      "its MIME type.\n",
  );
});
