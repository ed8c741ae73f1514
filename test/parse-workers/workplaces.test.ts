import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { UnreadFile } from "#dist/parse-workers/unread-file.js";
import { processWorkplace, threadWorkplace } from "#dist/parse-workers/worker-host.js";
import { PreparationSeat } from "#dist/parse-workers/worker-slot.js";
import { needsProcess } from "#dist/parsers/needs-process.js";
import { failureOf } from "../support/knowledge-base.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const MEGABYTE = 1024 * 1024;
const seats: PreparationSeat[] = [];
afterEach(async () => {
  await Promise.all(seats.splice(0).map((seat) => seat.close()));
});

/** A workplace of our own making: it answers each document with the given statements, where `answer(value)` sends a finished one. */
function entry(statements: string): URL {
  const path = join(temporaryDirectory(), `${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(
    path,
    `import { parentPort } from "node:worker_threads";
     const post = (message) => parentPort ? parentPort.postMessage(message) : process.send(message);
     const answer = (title) => post({ kind: "prepared", more: false, document: { title, chunks: [], text: [], pageStarts: [], warnings: [], metadata: {}, pages: null, mimeType: "", characters: 0 } });
     let documents = 0;
     (parentPort ?? process).on("message", ({ file }) => { documents++; const name = file.name; ${statements} });
     process.on("disconnect", () => process.exit());`,
  );
  return pathToFileURL(path);
}

function processSeat(statements: string, { maxBytes = 512 * MEGABYTE, lifetime = 100 } = {}): PreparationSeat {
  const seat = new PreparationSeat(processWorkplace(entry(statements), { maxBytes }), { lifetime });
  seats.push(seat);
  return seat;
}

const chunk = { chunkSize: 100, maxChunkSize: 200, chunkOverlap: 0, delimiter: null, maxTokens: null };
const prepare = (
  seat: PreparationSeat,
  name: string,
  { timeoutMs = 30_000, signal = new AbortController().signal } = {},
) =>
  seat.prepare(
    new UnreadFile({ name, mimeType: null, bytes: new Uint8Array([1]) }),
    { signal, parse: {}, chunk: { ...chunk, countTokens: async () => [] } },
    timeoutMs,
  );

describe("a process", () => {
  it("that crashes takes its document with it, and nothing else", async () => {
    const seat = processSeat(`if (name === "bad") process.abort(); else answer(name);`);
    expect((await prepare(seat, "one")).title).toBe("one");
    const failure = await failureOf(() => prepare(seat, "bad"));
    expect([failure.code, failure.message]).toEqual([
      "internal",
      "What parses the document was lost: it was ended by SIGABRT.",
    ]);
    expect((await prepare(seat, "two")).title).toBe("two");
  });

  it("that holds too much is killed, also what no JavaScript limit counts", async () => {
    const seat = processSeat(
      `if (name === "big") { const held = []; const more = () => { held.push(Buffer.alloc(${16 * MEGABYTE}, 1)); setImmediate(more); }; more(); } else answer(name);`,
      { maxBytes: 256 * MEGABYTE },
    );
    const failure = await failureOf(() => prepare(seat, "big"));
    expect([failure.code, failure.message]).toEqual([
      "limit_exceeded",
      "Parsing needed more memory than the 256 MB allowed and was stopped.",
    ]);
    expect((await prepare(seat, "small")).title).toBe("small");
  });

  it("whose objects have no room is told from one that crashes", async () => {
    const fill = `const held = []; for (;;) held.push({ a: [held.length] });`;
    const seat = processSeat(`if (name === "big") { ${fill} } else answer(name);`, { maxBytes: 256 * MEGABYTE });
    expect((await failureOf(() => prepare(seat, "big"))).code).toBe("limit_exceeded");
    expect((await prepare(seat, "small")).title).toBe("small");
  });

  it("that keeps much of what it held is replaced", async () => {
    const seat = processSeat(
      `globalThis.held = Buffer.alloc(name === "big" ? ${120 * MEGABYTE} : 0, 1); setTimeout(() => answer(String(documents)), 200);`,
      { maxBytes: 256 * MEGABYTE },
    );
    const counts = [];
    for (const name of ["small", "big", "small", "small"]) counts.push((await prepare(seat, name)).title);
    expect(counts).toEqual(["1", "2", "1", "2"]);
  });

  it("that never comes to an end is killed, also in the middle of a loop", async () => {
    const seat = processSeat(`if (name === "endless") for (;;) {} else answer(name);`);
    const failure = await failureOf(() => prepare(seat, "endless", { timeoutMs: 300 }));
    expect(failure.code).toBe("limit_exceeded");
    expect((await prepare(seat, "next")).title).toBe("next");
  });

  it("ends with the document that nobody wants any more", async () => {
    const seat = processSeat(`if (name === "slow") { /* never answers */ } else answer(name);`);
    const abort = new AbortController();
    const waiting = prepare(seat, "slow", { signal: abort.signal });
    abort.abort(new DOMException("enough", "AbortError"));
    await expect(waiting).rejects.toThrow("enough");
    expect((await prepare(seat, "next")).title).toBe("next");
  });

  it("is replaced after some documents", async () => {
    const seat = processSeat("answer(String(documents));", { lifetime: 3 });
    const counts = [];
    for (let document = 0; document < 7; document++) counts.push((await prepare(seat, "any")).title);
    expect(counts).toEqual(["1", "2", "3", "1", "2", "3", "1"]);
  });

  it("that is closed answers whoever waits", async () => {
    const seat = processSeat("/* never answers */");
    const failure = failureOf(() => prepare(seat, "any"));
    await seat.close();
    expect((await failure).code).toBe("closed");
  });
});

it("a thread that crashes takes its document with it, and nothing else", async () => {
  const seat = new PreparationSeat(
    threadWorkplace(entry(`if (name === "bad") throw new Error("broken"); else answer(name);`)),
  );
  seats.push(seat);
  const failure = await failureOf(() => prepare(seat, "bad"));
  expect(failure.message).toBe("What parses the document was lost: broken.");
  expect((await prepare(seat, "two")).title).toBe("two");
});

it("a thread whose objects have no room fails its document, and nothing else", async () => {
  const fill = `const held = []; for (;;) held.push({ a: [held.length] });`;
  const seat = new PreparationSeat(threadWorkplace(entry(`if (name === "big") { ${fill} } else answer(name);`)));
  seats.push(seat);
  const failure = await failureOf(() => prepare(seat, "big"));
  expect([failure.code, failure.message]).toEqual([
    "limit_exceeded",
    "Parsing needed more memory than the 192 MB allowed and was stopped.",
  ]);
  expect((await prepare(seat, "small")).title).toBe("small");
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
])("knows by its first bytes what needs a process: %j", (head, expected) => {
  expect(needsProcess({ name: null, mimeType: null, bytes: Buffer.from(head, "latin1") })).toBe(expected);
});

it.each(["process", "thread"] as const)("a %s that is closed at work is waited for", async (kind) => {
  const script = `
    const { PreparationSeat } = await import(dist + "parse-workers/worker-slot.js");
    const { processWorkplace, threadWorkplace } = await import(dist + "parse-workers/worker-host.js");
    let begin;
    const begun = new Promise((resolve) => { begin = resolve; });
    const open = argv[0] === "process" ? processWorkplace(new URL(argv[1]), { maxBytes: 2 ** 30 }) : threadWorkplace(new URL(argv[1]));
    const seat = new PreparationSeat(open);
    const countTokens = async () => { begin(); return []; };
    const chunk = { chunkSize: 100, maxChunkSize: 200, chunkOverlap: 0, delimiter: null, maxTokens: 50, countTokens };
    const { UnreadFile } = await import(dist + "parse-workers/unread-file.js");
    const document = seat.prepare(new UnreadFile({ name: "a", mimeType: null, bytes: new Uint8Array([1]) }), { parse: {}, chunk }, 30000).catch(({ code }) => code);
    await begun;
    await seat.close();
    console.log("closed", await document);`;
  const busy = entry(`post({ kind: "count", texts: ["a"] }); setInterval(() => {}, 1000);`);
  expect(await runScript(script, [kind, busy.href])).toMatchObject({ code: 0, stdout: "closed closed\n" });
});

it("knows by its name or type what may have such a thing attached", () => {
  const bytes = Buffer.from("Subject: S\n\nText");
  expect(needsProcess({ name: "a.EML", mimeType: null, bytes })).toBe(true);
  expect(needsProcess({ name: "a", mimeType: "message/rfc822; charset=utf-8", bytes })).toBe(true);
  expect(needsProcess({ name: "a.txt", mimeType: "text/plain", bytes })).toBe(false);
});
