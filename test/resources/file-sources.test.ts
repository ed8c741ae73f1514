import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { queryDatabase } from "../support/database.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { leapingClock } from "../support/leaping-clock.js";
import { listener } from "../support/listener.js";
import { makePdf, pdfLines } from "../support/make-files.js";
import { rowsOf } from "../support/rows-of.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

interface World {
  readonly kb: KnowledgeBase;
  readonly space: NamespaceHandle;
  readonly base: string;
  readonly directory: string;
}

/** A server on this machine, a knowledge base that may call it, and a clock by which a retry is due at the next look. */
async function world(respond: RequestListener): Promise<World> {
  const { port } = await listener(respond);
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({
    directory,
    worker: false,
    network: { allowPrivateHosts: [`127.0.0.1:${port}`] },
    limits: { attempts: 3 },
    clock: leapingClock(),
  });
  onTestFinished(() => kb.close());
  return { kb, directory, space: await newNamespace(kb), base: `http://127.0.0.1:${port}` };
}

async function ingested({ kb, space }: World, fileUrl: string, fileName?: string) {
  const run = await space.ingest({ type: "FILE", fileUrl, fileName });
  await kb.drain();
  const [document] = (await space.documents.list({ ingestJobId: run.id })).items;
  return { job: await run.done(), document: document! };
}

/** Of the only document. */
function generationOf(directory: string): number {
  return queryDatabase<{ generation: number }>(directory, "SELECT generation FROM documents")[0]!.generation;
}

const NAMED = "attachment; filename=\"lamps.pdf\"; filename*=UTF-8''l%C3%A4mps.pdf";

it("parses what was fetched as what it is, under its header's name, its address's, or the given one", async () => {
  const pdf = await makePdf([pdfLines(["A lamp burns oil."], 50, 700)]);
  const answers: Record<string, (out: ServerResponse) => void> = {
    "/download?id=7": (out) => out.writeHead(200, { "content-disposition": NAMED }).end(pdf),
    "/files/l%C3%A4mps%20two.md": (out) =>
      out.writeHead(200, { "content-type": "text/markdown" }).end("# Lamp\n\nOil."),
    "/report.pdf": (out) =>
      out.writeHead(200, { "content-type": "application/pdf" }).end("<!doctype html><p>Lamp: sign in.</p>"),
    "/moved": (out) => out.writeHead(302, { location: "/files/l%C3%A4mps%20two.md" }).end(),
    "/latin": (out) =>
      out
        .writeHead(200, { "content-type": "text/html; charset=iso-8859-2" })
        .end(Buffer.from("<html><meta charset=utf-8><p>Lamp \xb3\xf3d\xbc</p>", "latin1")),
  };
  const here = await world(({ url }, out) => void answers[url!]!(out));
  const [header, address, promised, moved, latin, given] = [
    await ingested(here, `${here.base}/download?id=7`),
    await ingested(here, `${here.base}/files/l%C3%A4mps%20two.md`),
    await ingested(here, `${here.base}/report.pdf`),
    await ingested(here, `${here.base}/moved`),
    await ingested(here, `${here.base}/latin`),
    await ingested(here, `${here.base}/download?id=7`, "mine.pdf"),
  ];
  const shown = [header, address, promised, moved, latin, given].map(({ document }) => [
    document.name,
    document.properties.mimeType,
    document.properties.fileSize,
  ]);
  expect(shown).toEqual([
    ["lämps.pdf", "application/pdf", pdf.length],
    ["lämps two.md", "text/markdown", 12],
    ["report.pdf", "text/html", 36],
    ["lämps two.md", "text/markdown", 12],
    ["latin", "text/html", 42],
    ["mine.pdf", "application/pdf", pdf.length],
  ]);
  expect(promised!.document.warnings[0]).toContain(`"report.pdf" is not what its name says`);
  const hits = await here.space.search("lamp", { mode: "keyword", filter: { filename: "latin" } });
  expect(hits[0]).toMatchObject({ text: "Lamp łódź", metadata: { url: `${here.base}/latin` } });
  expect(header!.document.source).toEqual({ type: "FILE", fileUrl: `${here.base}/download?id=7` });
});

it("sends an address's credentials, also those of a batch, and shows them nowhere", async () => {
  const heard: (string | undefined)[] = [];
  const here = await world(({ headers, url }, out) => {
    heard.push(headers.authorization);
    out.writeHead(url!.startsWith("/gone.txt") ? 410 : 200).end(`A lamp of ${url}.`);
  });
  const address = (path: string) => `${here.base}${path}`.replace("://", "://user:hush%21pass@");
  const run = await here.space.ingest({
    type: "BATCH",
    items: [
      { type: "TEXT", text: "x" },
      { type: "FILE", fileUrl: address("/a.txt") },
      { type: "FILE", fileUrl: address("/gone.txt?token=hush") },
    ],
  });
  await here.kb.drain();
  const job = await run.done();
  await ingested(here, address("/b.txt"));
  const basic = `Basic ${Buffer.from("user:hush!pass").toString("base64")}`;
  expect(heard).toEqual([basic, basic, basic]);
  expect(job.error).toBe(`1 of 3 documents failed. First failure: "gone.txt": ${here.base}/gone.txt answered 410 Gone`);
  const hits = await here.space.search("lamp", { mode: "keyword" });
  expect(hits.map(({ metadata }) => metadata?.url).sort()).toEqual([`${here.base}/a.txt`, `${here.base}/b.txt`]);
  const shown = JSON.stringify([job, hits, (await here.space.documents.list()).items]);
  expect(shown).not.toMatch(/hush%21|hush!/);
});

it("tries again what may pass, not what can't, and gives up with the reason", async () => {
  const asked: string[] = [];
  const here = await world(({ url }, out) => {
    asked.push(url!);
    const first = asked.filter((other) => other === url).length === 1;
    if (url === "/soon" && first) out.writeHead(503, { "retry-after": "1" }).end();
    else if (url === "/cut" && first) out.writeHead(200, { "content-length": "100" }).write("cut", () => out.destroy());
    else if (url === "/never") out.writeHead(500).end();
    else if (url === "/no") out.writeHead(403).end();
    else out.end("A lamp.");
  });
  const outcomes = [];
  for (const path of ["/soon", "/cut", "/never", "/no"]) {
    const { job } = await ingested(here, here.base + path);
    outcomes.push([job.status, job.error]);
  }
  expect(outcomes).toEqual([
    ["COMPLETED", null],
    ["COMPLETED", null],
    ["FAILED", `Gave up after 3 attempts: ${here.base}/never answered 500 Internal Server Error`],
    ["FAILED", `${here.base}/no answered 403 Forbidden`],
  ]);
  expect(asked).toEqual(["/soon", "/soon", "/cut", "/cut", "/never", "/never", "/never", "/no"]);
});

it("asks again only whether it has changed, and leaves what hasn't as it was", async () => {
  let text = "A lamp burns oil.";
  let etag: string | null = '"1"';
  const heard: IncomingMessage["headers"][] = [];
  let down = false;
  const here = await world(({ headers }, out) => {
    heard.push(headers);
    if (down) out.writeHead(404).end();
    else if (etag && headers["if-none-match"] === etag) out.writeHead(304).end();
    else out.writeHead(200, etag ? { etag } : { "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" }).end(text);
  });
  const { job } = await ingested(here, `${here.base}/lamps.txt`);
  const again = async () => {
    const run = await here.space.ingestJobs.reingest(job.id);
    const statuses: string[] = [];
    await here.kb.drain();
    for await (const event of run.events()) {
      if (event.type === "job.status" && event.status === "QUEUED_FOR_RESYNC") statuses.length = 0;
      if (event.type === "document.status") statuses.push(event.status);
    }
    return { job: await run.done(), statuses, generation: generationOf(here.directory) };
  };
  const path = ["QUEUED_FOR_RESYNC", "PRE_PROCESSING", "PROCESSING", "COMPLETED"];

  const same = await again();
  expect(heard[1]!["if-none-match"]).toBe('"1"');
  expect(same.statuses).toEqual(path);
  expect(same.job.counts).toEqual(job.counts);
  expect(same.job.status).toBe("COMPLETED");
  expect(same.generation).toBe(1);

  // Another tag, the same bytes; then no tag at all.
  etag = '"2"';
  await again();
  expect((await again()).statuses).toEqual(path);
  expect(heard.at(-1)!["if-none-match"]).toBe('"2"');
  etag = null;
  await again();
  expect((await again()).generation).toBe(1);
  expect(heard.at(-1)).toMatchObject({ "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT" });

  down = true;
  expect((await again()).job.error).toBe(`${here.base}/lamps.txt answered 404 Not Found`);
  expect(await here.space.search("oil", { mode: "keyword" })).toHaveLength(1);

  down = false;
  text = "A lamp burns gas.";
  expect(await again()).toMatchObject({ job: { status: "COMPLETED" }, generation: 2 });
  expect(await here.space.search("oil", { mode: "keyword" })).toHaveLength(0);
  expect(await here.space.search("gas", { mode: "keyword" })).toHaveLength(1);
  await here.space.ingestJobs.delete(job.id);
  await here.kb.drain();
  expect(rowsOf(here.directory)).not.toHaveProperty("origins");
});
