import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { KnowledgeBase as Engine, KnowledgeBaseOptions, SearchHit } from "lorebase";
import { after } from "./after.js";
import { FaultOperations } from "./fault-operations.js";
import type { Order, Report } from "./messages.js";
import {
  faultsOf,
  type Piece,
  pagedParser,
  planDocument,
  readPiece,
  stampingChunker,
  textOf,
  toPages,
} from "./pieces.js";
import { type Random, seededRandom } from "./random.js";

// A process of the campaign: opens the directory and does what it is told, until it is killed.

const SEARCH_PAUSE_MS = 100;

type Watched = Extract<Order, { order: "watch" }>["documents"];

const [library, options, prefix, seed, isCut] = process.argv.slice(2) as [string, string, string, string, string];
const engine = (await import(library)) as typeof import("lorebase");
const { KnowledgeBase, KnowledgeBaseError } = engine;
const random = seededRandom(Number(seed));
let aheadMs = 0;
const ownOptions: KnowledgeBaseOptions = {
  chunker: stampingChunker,
  parsers: [pagedParser],
  defaultEmbedding: { provider: "MANAGED_LEXICAL" },
  network: { allowPrivateHosts: ["127.0.0.1"] },
  clock: () => new Date(Date.now() + aheadMs),
};
const kb = new KnowledgeBase({ ...JSON.parse(options), ...ownOptions });
const operations = new FaultOperations(engine, kb, ownOptions);
kb.on("error", ({ error }) => {
  if (isUnreachable(error)) tell({ report: "unreachable" });
  else tell({ report: "fault", fault: `error: ${error}` });
});

/** Written before anything else happens: what has been told survives the process. */
function tell(report: Report): void {
  writeSync(1, `${JSON.stringify(report)}\n`);
}

let working = Promise.resolve();
let resting = false;
let watched: Watched = [];
let searching = false;
let planned = 0;

async function main(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line) as Order;
    await obey(order).catch(fail);
    if (order.order === "close") process.stdin.destroy();
  }
}

async function obey(order: Order): Promise<void> {
  if (order.order === "start") await kb.start();
  else if (order.order === "drain") await kb.drain().then(() => tell({ report: "drained" }));
  else if (order.order === "clock") aheadMs = order.aheadMs;
  else if (order.order === "close") await kb.close();
  else if (order.order === "check") {
    if (order.repair) report(await operations.repair(), "repair");
    report(await operations.check(), "check");
    tell({ report: "checked" });
  } else if (order.order === "work") {
    resting = false;
    working = work(order).catch(fail);
  } else if (order.order === "watch") {
    watched = order.documents;
    if (!searching) void search().catch(fail);
  } else if (order.order === "finish") {
    await working;
    await kb.drain();
    tell({ report: "finished" });
  } else {
    resting = true;
    await working;
    tell({ report: "resting" });
  }
}

function fail(error: unknown): void {
  if (isUnreachable(error)) tell({ report: "unreachable" });
  else tell({ report: "fault", fault: `thrown: ${error instanceof Error ? error.stack : String(error)}` });
}

function isUnreachable(error: unknown): boolean {
  return isCut === "true" && KnowledgeBaseError.is(error, "store_failed") && error.retryable;
}

async function work({
  creations,
  again,
  doomed,
  operations: wholes,
}: Extract<Order, { order: "work" }>): Promise<void> {
  const jobs = kb.namespace("campaign").ingestJobs;
  const steps: (() => Promise<unknown>)[] = [
    ...Array.from({ length: creations }, () => () => create(kb, random)),
    ...again.map((id) => () => jobs.reingest(id).catch(unlessBusy)),
    ...doomed.map((id) => () => jobs.delete(id).then(() => tell({ report: "deleted", job: id }))),
    ...wholes.map((operation) => async () => {
      report(await operations.run(operation), operation.operation);
      tell({ report: "done", operation: operation.operation });
    }),
  ];
  // Shuffled, and three at a time: kills meet every pair of operations side by side.
  const order = steps.map((step) => ({ step, place: random.next() })).sort((a, b) => a.place - b.place);
  const lane = async () => {
    for (let next = order.pop(); next && !resting; next = order.pop()) await next.step().catch(fail);
  };
  await Promise.all([lane(), lane(), lane()]);
}

/** Two processes may choose the same job: the second is told that it is under way. */
function unlessBusy(error: unknown): void {
  if (!KnowledgeBaseError.is(error, "conflict")) throw error;
}

async function create(engine: Engine, chance: Random): Promise<void> {
  const kind = chance.pick(["TEXT", "TEXT", "BATCH", "FILE", "PAGES"] as const);
  const tenant = chance.next() < 0.2 ? "small" : null;
  const owner = engine.namespace("campaign");
  const handle = tenant === null ? owner : owner.tenant(tenant);
  const plan = () => {
    const document = planDocument(chance, `${prefix}x${planned++}`);
    return { text: textOf(document, chance), config: { metadata: { marker: document.marker } } };
  };
  if (kind === "BATCH") {
    const items = Array.from({ length: chance.integer(2, 5) }, () => ({ type: "TEXT" as const, ...plan() }));
    acknowledged(await handle.ingestJobs.create({ payload: { type: "BATCH", items } }));
  } else if (kind === "TEXT") {
    const { text, config } = plan();
    acknowledged(await handle.ingestJobs.create({ payload: { type: "TEXT", text }, config }));
  } else {
    const { text, config } = plan();
    const file =
      kind === "FILE"
        ? { name: "pieces.txt", body: new TextEncoder().encode(text) }
        : { name: "pieces.pages", body: toPages(text) };
    acknowledged(await handle.ingest({ file }, config));
  }
}

function acknowledged({ id }: { readonly id: string }): void {
  tell({ report: "created", job: id });
}

async function search(): Promise<void> {
  searching = true;
  for (let searches = 1; ; searches++) {
    if (watched.length > 0) await searchOnce().catch(fail);
    // A process that only searches would take the time of the others.
    await after(SEARCH_PAUSE_MS);
    if (searches % 10 === 0) tell({ report: "searched", searches: 10 });
  }
}

/** One document that must be found whole, by its word or its metadata; or many at once, of which none may be mixed. */
async function searchOnce(): Promise<void> {
  const { marker, tenant } = random.pick(watched);
  const owner = kb.namespace<{ marker: string }>("campaign");
  const handle = tenant === null ? owner : owner.tenant(tenant);
  const mode = random.pick(["keyword", "semantic", "hybrid"] as const);
  if (random.next() < 0.25) {
    const hits = await handle.search("piece harbour", { mode, topK: 100 });
    for (const [, pieces] of byDocument(hits)) report(faultsOf(pieces, false), `${mode} over all`);
    return;
  }
  const hits = await handle.search(marker, { mode, topK: 100, filter: { marker } });
  const pieces = hits.map(({ text }) => readPiece(text));
  // Deleted meanwhile is not a fault: then it is no longer watched.
  if (!watched.some((document) => document.marker === marker)) return;
  report(pieces.length === 0 ? [`missing: all of ${marker}`] : faultsOf(pieces, true), mode);
}

function byDocument(hits: readonly SearchHit[]): ReadonlyMap<string, readonly Piece[]> {
  const found = new Map<string, Piece[]>();
  for (const { text } of hits) {
    const piece = readPiece(text);
    found.set(piece.marker, [...(found.get(piece.marker) ?? []), piece]);
  }
  return found;
}

function report(faults: readonly string[], how: string): void {
  for (const fault of faults) tell({ report: "fault", fault: `${fault} (${how})` });
}

await main();
