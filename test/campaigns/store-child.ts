import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { AnyProvider, ProviderContext } from "../../src/interfaces/provider.js";
import type { VectorStore } from "../../src/interfaces/vector-store.js";

// A process of the campaign of stores: works on a directory whose vectors are in a vendor's store, until it is killed; or finishes what
// one that was killed has left.

const [library, directory, vendor, origin, task] = process.argv.slice(2) as [string, string, string, string, string];
const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
const { pineconeProvider } = await import(new URL("./vector-stores/pinecone/provider.js", library).href);
const { turbopufferProvider } = await import(new URL("./vector-stores/turbopuffer/provider.js", library).href);

/** Where the next upsert waits, once there is such a place. */
let door: { arrive(): void; readonly open: Promise<void> } | null = null;

/** The vendor's own address is the campaign's server. */
const reach: typeof fetch = async (input, init) => {
  const url = new URL(String(input));
  if (door && (url.pathname === "/vectors/upsert" || String(init?.body).includes('"upsert_rows"'))) {
    door.arrive();
    await door.open;
  }
  return fetch(`${origin}${url.pathname}${url.search}`, init);
};
const reaching = (provider: AnyProvider<VectorStore>): AnyProvider<VectorStore> => ({
  ...provider,
  create: (config, context: ProviderContext) => provider.create(config, { ...context, fetch: reach }),
});

const kb = new KnowledgeBase({
  directory,
  vectorStores: [reaching(pineconeProvider), reaching(turbopufferProvider)],
  defaultEmbedding: { provider: "MANAGED_LEXICAL" },
  worker: { documents: 2 },
  network: { allowPrivateHosts: [new URL(origin).host] },
});
const CONFIGS: Readonly<Record<string, { readonly provider: string }>> = {
  Pinecone: { provider: "PINECONE", apiKey: "pc-key", indexHost: origin } as { provider: string },
  Turbopuffer: { provider: "TURBOPUFFER", apiKey: "tpuf-key", region: "aws-us-east-1" } as { provider: string },
};

if (task === "work") await work();
else await kb.drain();
await kb.close();
writeSync(1, "finished\n");

async function work(): Promise<void> {
  await kb.namespaces.create({ name: "Stores", slug: "stores", vectorStoreConfig: CONFIGS[vendor]! });
  const handle = kb.namespace("stores");
  // Of two batches, one, and one.
  const items = [100, 5, 30].map((pieces, document) => ({
    type: "TEXT" as const,
    text: Array.from({ length: pieces }, (_, piece) => `Document ${document}, piece ${piece} of the harbour.`).join(
      "\n\n",
    ),
    config: { chunkSize: 48, maxChunkSize: 64, metadata: { document } },
  }));
  const job = await (await handle.ingest({ type: "BATCH", items })).done();
  const own = await (await handle.tenant("acme").ingest({ type: "TEXT", text: "Of a tenant's own." })).done();
  await handle.ingestJobs.reingest(job.id);
  const documents = await handle.documents.list();
  await kb.documents.delete("stores", documents.items[0]!.id);
  await kb.drain();
  await kb.ingestJobs.delete("stores", own.id);
  await kb.drain();
  await writeLate();
}

/** Vectors that reach the store when their document has been removed. */
async function writeLate(): Promise<void> {
  const handle = kb.namespace("stores");
  let arrive = () => {};
  let letIn = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  door = {
    arrive,
    open: new Promise((resolve) => {
      letIn = resolve;
    }),
  };
  await handle.ingest({ type: "BATCH", items: [{ type: "TEXT", text: "Too late for the harbour." }] });
  await arrived;
  const { items } = await handle.documents.list();
  await handle.documents.delete(items[0]!.id);
  while ((await handle.documents.list()).items.length === items.length) await setTimeout(20);
  letIn();
  await kb.drain();
}
