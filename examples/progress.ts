// Follows the events of a job, and stops waiting for another one early.
import { KnowledgeBase } from "lorebase";

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Logs", slug: "logs", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const logs = kb.namespace("logs");
  const items = Array.from(
    { length: 200 },
    (_, day) => ({ type: "TEXT", text: `Day ${day + 1}: wind ${day % 30} knots.` }) as const,
  );

  const run = await logs.ingest({ type: "BATCH", items });
  for await (const event of run) {
    const { documents, chunks } = event.counts;
    if (event.type === "job.status") console.log(`job ${event.status}`);
    if (event.type === "document.status" && event.status === "COMPLETED" && documents.completed % 50 === 0)
      console.log(`${documents.completed} of ${documents.total} documents, ${chunks} chunks`);
  }

  // Every call takes a signal. It ends the wait, not the job, which is stored and continues.
  const second = await logs.ingest({ type: "TEXT", text: "The last entry." });
  const signal = AbortSignal.abort();
  await second.done({ signal }).catch((error: Error) => console.log(`stopped waiting: ${error.name}`));
  console.log((await second.done()).status);
} finally {
  await kb.close();
}
