import { writeSync } from "node:fs";
import type { Reembedding } from "lorebase";
import { CAMPAIGN_STORE, campaignStore } from "./campaign-store.js";

// A process of the campaign: changes the model of a namespace, and where its vectors are, again and again, while documents
// come and go, until it is killed.

const [library, directory, models, first, origin] = process.argv.slice(2) as [string, string, string, string, string];
const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
const kb = new KnowledgeBase({ directory, ...(await campaignStore(library, origin)) });
/** Written before anything else happens: what has been told survives the process. */
const tell = (line: string) => void writeSync(1, `${line}\n`);
kb.on("error", ({ error }) => tell(`fault ${error}`));
await kb.start();
const handbook = kb.namespace("campaign");
/** The configurations of sets of vectors that it changes between. */
const sets = [{ provider: "MANAGED_SQLITE_VEC" }, ...(origin === "" ? [] : [CAMPAIGN_STORE])].flatMap(
  (vectorStoreConfig) =>
    models.split(",").map((provider) => ({ embeddingConfig: { provider }, vectorStoreConfig: vectorStoreConfig })),
);
tell("started");
await Promise.all([changeModels(), changeDocuments()]);

async function changeModels(): Promise<void> {
  for (let turn = 0; ; turn++) {
    const found = await handbook.reembedding.wait();
    if (found === null) {
      const { embeddingConfig, vectorStoreConfig } = await kb.namespaces.get("campaign");
      const current = sets.findIndex(
        (set) =>
          set.embeddingConfig.provider === embeddingConfig.provider &&
          set.vectorStoreConfig.provider === vectorStoreConfig.provider,
      );
      const next = sets[(current + 1 + (turn % (sets.length - 1))) % sets.length]!;
      const cutOver = turn % 2 === 0 ? "automatic" : "manual";
      await handbook.reembedding.start(next, { chunksPerSecond: 60, cutOver });
      tell("start");
    } else if (found.state === "ready") {
      await (turn % 5 === 4 ? discard(found) : handbook.reembedding.cutOver());
      tell("cut over");
    } else {
      await (turn % 3 === 0 ? handbook.reembedding.rollback() : discard(found));
      tell("roll back or discard");
    }
  }
}

/** Discards a set. If it alone is in the store, some are left there. */
async function discard({ vectorSet, vectorStoreConfig }: Reembedding): Promise<void> {
  const used = (await kb.namespaces.get("campaign")).vectorStoreConfig;
  const isAlone =
    vectorStoreConfig.provider === CAMPAIGN_STORE.provider && used.provider !== vectorStoreConfig.provider;
  const abandonStore = isAlone && vectorSet % 5 !== 0;
  if (abandonStore) tell(`abandoning ${vectorSet}`);
  await handbook.reembedding.discard({ abandonStore });
}

async function changeDocuments(): Promise<void> {
  for (let number = Number(first); ; number++) {
    tell(`adding ${number}`);
    const run = await handbook.ingest({ type: "TEXT", text: textOf(number) }, { metadata: { number } });
    tell(`added ${number}`);
    if (number % 3 === 0) await run.done();
    if (number % 4 === 0) {
      const { items } = await handbook.documents.list({ order: "asc", perPage: 1 });
      const [oldest] = items;
      if (!oldest) continue;
      tell(`removing ${oldest.config.metadata?.number}`);
      await handbook.documents.delete(oldest.id);
      tell(`removed ${oldest.config.metadata?.number}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

function textOf(number: number): string {
  return `Word${number} lamp${number % 7} storm${number % 11} keeper${number % 13} of the north`;
}
