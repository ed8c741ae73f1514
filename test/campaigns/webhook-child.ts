import { writeSync } from "node:fs";
import { after } from "./after.js";
import { seededRandom } from "./random.js";

// A process of the webhook campaign: ingests, ingests again and deletes, and sends events, until it is killed.

const [library, directory, seed, aheadMs] = process.argv.slice(2) as [string, string, string, string];
const { KnowledgeBase, KnowledgeBaseError } = (await import(library)) as typeof import("lorebase");
const random = seededRandom(Number(seed));
const kb = new KnowledgeBase({
  directory,
  network: { allowPrivateHosts: ["127.0.0.1"] },
  clock: () => new Date(Date.now() + Number(aheadMs)),
});
kb.on("error", ({ error }) => tell({ fault: `error: ${error}` }));

/** What a process of the campaign says, one JSON document a line: what it has been answered, and what went wrong. */
export type WebhookReport =
  | { readonly created: string }
  | { readonly deleted: string }
  | { readonly fault: string }
  | { readonly started: true };

/** Written before anything else happens: what has been told survives the process. */
function tell(report: WebhookReport): void {
  writeSync(1, `${JSON.stringify(report)}\n`);
}

const { ingestJobs } = kb.namespace("campaign");
const mine: string[] = [];

async function act(): Promise<void> {
  const chance = random.next();
  const known = mine.length === 0 ? null : random.pick(mine);
  if (chance < 0.6 || known === null) {
    const items = Array.from({ length: random.integer(1, 3) }, () => {
      return { type: "TEXT" as const, text: `Harbour ${random.integer(0, 1e9)}.` };
    });
    const { id } = await ingestJobs.create({ payload: { type: "BATCH", items } });
    tell({ created: id });
    mine.push(id);
  } else if (chance < 0.85) {
    await ingestJobs.reingest(known).catch(unlessBusy);
  } else {
    mine.splice(mine.indexOf(known), 1);
    await ingestJobs.delete(known);
    tell({ deleted: known });
  }
}

function unlessBusy(error: unknown): void {
  if (!KnowledgeBaseError.is(error, "conflict")) throw error;
}

try {
  await kb.start();
  tell({ started: true });
  for (;;) {
    await act();
    // Leaves time for sending, so that kills come in its midst too.
    await after(random.integer(0, 100));
  }
} catch (error) {
  tell({ fault: `thrown: ${error instanceof Error ? error.stack : String(error)}` });
}
