// Splits a service in two: one part accepts documents and searches, the other runs the jobs. Both open the same
// directory. Here they share a process; in a service they would be two.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";

const directory = await mkdtemp(join(tmpdir(), "lorebase-example-"));
const front = new KnowledgeBase({ directory, worker: false });
const worker = new KnowledgeBase({ directory, worker: { concurrency: 2 } });
try {
  await front.namespaces.create({ name: "Logs", slug: "logs", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const logs = front.namespace("logs");

  const run = await logs.ingest({ type: "TEXT", text: "The oil was changed at six." });
  console.log(`queued ${run.id.slice(0, 4)}…, found ${(await logs.search("oil")).length} passages`);

  await worker.drain();
  console.log(`${(await run.done()).status}, found ${(await logs.search("oil")).length} passage`);
} finally {
  await worker.close();
  await front.close();
  await rm(directory, { recursive: true, force: true });
}
