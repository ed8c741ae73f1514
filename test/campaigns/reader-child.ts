import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { SearchHit } from "lorebase";
import { stampingChunker } from "./pieces.js";
import type { ReaderAnswer, ReaderOrder } from "./reader-messages.js";

// A process of the campaign of readers: `reader-child.ts <library> <options>`.

const [library, options] = process.argv.slice(2) as [string, string];
const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
const kb = new KnowledgeBase({ ...JSON.parse(options), chunker: stampingChunker });
const namespace = kb.namespace("campaign");

async function obey(order: ReaderOrder): Promise<Omit<ReaderAnswer, "id">> {
  const { marker } = order;
  if (order.order === "create") {
    const run = await namespace.ingest({ type: "TEXT", text: order.text! }, { metadata: { marker } });
    await run.done({ throwOnFailure: true });
    const { items } = await namespace.documents.list({ ingestJobId: run.id });
    return { job: run.id, document: items[0]!.id };
  }
  if (order.order === "reingest") {
    await (await namespace.ingestJobs.reingest(order.job!)).done({ throwOnFailure: true });
    return {};
  }
  if (order.order === "delete") {
    await namespace.documents.delete(order.document!);
    return {};
  }
  let hits = await search(order);
  while (order.order === "find" && hits.length === 0) hits = await search(order);
  return { texts: hits.map(({ text }) => text), foundAt: performance.timeOrigin + performance.now() };
}

function search({ marker, mode = "keyword" }: ReaderOrder): Promise<readonly SearchHit[]> {
  return namespace.search(marker, { mode, topK: 100, filter: { marker } });
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as ReaderOrder;
  const answer = (rest: Omit<ReaderAnswer, "id">) =>
    writeSync(1, `${JSON.stringify({ id: order.id, ...rest } satisfies ReaderAnswer)}\n`);
  obey(order).then(answer, (error) => answer({ error: String(error) }));
}
await kb.close();
