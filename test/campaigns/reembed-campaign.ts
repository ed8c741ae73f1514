import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { scriptArguments } from "../support/script-arguments.js";
import { type FakeTurbopuffer, fakeTurbopuffer } from "../support/vendors/turbopuffer.js";
import { CAMPAIGN_STORE, campaignStore } from "./campaign-store.js";
import { seededRandom } from "./random.js";

const SCRIPT = scriptArguments(fileURLToPath(new URL("./reembed-child.ts", import.meta.url)));
const MODELS = ["MANAGED_LEXICAL", "MANAGED_STATIC"];
/** How many documents there are at the start of each round. */
const DOCUMENTS = 120;
/** Embedding the documents again takes about two seconds. */
const LONGEST_MS = 2600;
const MAX_SCORE_ERROR = 1e-5;
const QUERIES = ["lamp3 of the north", "storm5 keeper2", "Word40"];

export interface ReembedCampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Whether vectors are also moved into a hosted store and back. */
  readonly withStore: boolean;
  /** The module that processes import the engine from. */
  readonly library: string;
  onRound?(round: number, outcome: ReembedCampaignOutcome): void;
}

export interface ReembedCampaignOutcome {
  readonly killed: number;
  /** How often a killed process had begun to embed again, cut over, or rolled back or discarded vectors. */
  readonly steps: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** What processes have told about documents and sets of vectors, by their numbers. */
class Ledger {
  readonly state = new Map<number, "adding" | "added" | "removing" | "removed">();
  /** The sets of vectors that may have been left in the store. */
  readonly abandoned = new Set<number>();

  hear(line: string): void {
    const [verb, number] = line.split(" ") as ["abandoning" | "adding" | "added" | "removing" | "removed", string];
    if (verb === "abandoning") this.abandoned.add(Number(number));
    else this.state.set(Number(number), verb);
  }
}

/**
 * Kills processes that change the model of a namespace, and where its vectors are, at random moments. After each kill the work is completed; then the
 * namespace has to have what was acknowledged, and find what one finds that was embedded by its model from the start.
 */
export async function reembedCampaign(options: ReembedCampaignOptions): Promise<ReembedCampaignOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-reembed-"));
  const random = seededRandom(options.seed);
  const { KnowledgeBase } = (await import(options.library)) as typeof import("lorebase");
  const faults: string[] = [];
  const steps: Record<string, number> = {};
  const ledger = new Ledger();
  let killed = 0;
  const server = options.withStore ? await fakeTurbopuffer() : null;
  const origin = server?.origin ?? "";
  const withStore = await campaignStore(options.library, origin);
  try {
    const kb = new KnowledgeBase({ directory, worker: false });
    await kb.namespaces.create({
      name: "Campaign",
      slug: "campaign",
      embeddingConfig: { provider: MODELS[0]! },
    });
    await kb.close();
    for (let round = 1; round <= options.rounds; round++) {
      const first = 1 + Math.max(0, ...ledger.state.keys());
      const parameters = [options.library, directory, MODELS.join(), String(first), origin];
      const killAfterMs = round === 1 ? LONGEST_MS : random.integer(0, LONGEST_MS);
      killed += await runKilled(parameters, killAfterMs, (line) => {
        if (line.startsWith("fault")) faults.push(`round ${round}: ${line}`);
        else if (/^(abandon|add|remov)/.test(line)) ledger.hear(line);
        else steps[line] = (steps[line] ?? 0) + 1;
      });
      const found = await withKnowledgeBase(
        () => new KnowledgeBase({ directory, ...withStore }),
        (open) => check(open, ledger, server),
      );
      faults.push(...found.map((fault) => `round ${round}: ${fault}`));
      options.onRound?.(round, { killed, steps, faults });
    }
    if (ledger.abandoned.size > 0) steps.abandon = ledger.abandoned.size;
    return { killed, steps, faults };
  } finally {
    await server?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function withKnowledgeBase<Result>(open: () => KnowledgeBase, use: (kb: KnowledgeBase) => Promise<Result>) {
  const kb = open();
  try {
    return await use(kb);
  } finally {
    await kb.close();
  }
}

/** Runs a process until it is killed, and returns 1; 0 if it ends by itself, which is a fault. */
async function runKilled(parameters: readonly string[], killAfterMs: number, hear: (line: string) => void) {
  const child = spawn(process.execPath, [...SCRIPT, ...parameters], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line === "started") setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    else hear(line);
  });
  const signal = await new Promise((resolve) => child.once("close", (_, by) => resolve(by)));
  if (signal === "SIGKILL") return 1;
  hear(`fault A process ended by itself: ${said}`);
  return 0;
}

/** Completes the work, and returns what is not as it has to be. */
async function check(kb: KnowledgeBase, ledger: Ledger, store: FakeTurbopuffer | null): Promise<readonly string[]> {
  const faults: string[] = [];
  const handbook = kb.namespace("campaign");
  await kb.start();
  await kb.drain();
  const state = await handbook.reembedding.wait();
  if (state?.isStopped) faults.push(`the re-embedding has stopped: ${state.error}`);
  await kb.drain();

  const texts: { readonly id: string; readonly number: number; readonly text: string }[] = [];
  for await (const { id, config, status } of handbook.documents.iterate({ order: "asc" })) {
    const number = Number(config.metadata?.number);
    if (status !== "COMPLETED") faults.push(`document ${number} is ${status}`);
    for await (const { text } of handbook.documents.chunks(id)) texts.push({ id, number, text });
  }
  const present = new Set(texts.map(({ number }) => number));
  for (const [number, told] of ledger.state) {
    if (told === "added" && !present.has(number)) faults.push(`document ${number} is lost`);
    if (told === "removed" && present.has(number)) faults.push(`document ${number} is there again`);
    // What a killed process left open has been decided.
    ledger.state.set(number, present.has(number) ? "added" : "removed");
  }

  if (store) faults.push(...(await checkStore(kb, store, ledger.abandoned)));
  const { embeddingConfig } = await kb.namespaces.get("campaign");
  const models = [{ provider: embeddingConfig.provider, searchable: handbook as Searchable }];
  if (state && state.state !== "discarding")
    models.push({ provider: state.embeddingConfig.provider, searchable: handbook.reembedding });
  for (const { provider, searchable } of models) {
    const slug = `check-${provider.toLowerCase()}`;
    await kb.namespaces.create({ name: slug, slug, embeddingConfig: { provider } });
    await kb
      .namespace(slug)
      .ingest({ type: "BATCH", items: texts.map(({ text }) => ({ type: "TEXT", text })) })
      .done({ throwOnFailure: true });
    const [expected, found] = [await ranking(kb.namespace(slug)), await ranking(searchable)];
    if (!isDeepStrictEqual(found.map(textsOf), expected.map(textsOf)) || !haveEqualScores(found, expected))
      faults.push(`searches by ${provider} find ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    await kb.namespaces.delete(slug);
  }
  const missing = DOCUMENTS - present.size;
  if (missing > 0) await add(handbook, ledger, missing);
  for (const { id, number } of texts.slice(0, Math.max(0, -missing))) {
    await handbook.documents.delete(id);
    ledger.state.set(number, "removed");
  }
  await kb.drain();
  return faults;
}

/**
 * Returns in what a store differs from the published chunks: each set in it has to have all of them, and it has no other vectors.
 * The set that searches don't use may lack those of documents that were added since it was completed.
 */
async function checkStore(
  kb: KnowledgeBase,
  store: FakeTurbopuffer,
  abandoned: ReadonlySet<number>,
): Promise<readonly string[]> {
  const namespace = await kb.namespaces.get("campaign");
  const handle = kb.namespace("campaign");
  const chunks = new Set<string>();
  for await (const { id } of handle.documents.iterate())
    for await (const chunk of handle.documents.chunks(id)) chunks.add(chunk.id);
  const faults: string[] = [];
  const other = await handle.reembedding.get();
  const held = new Map(
    [...store.contents()].map(([name, ids]) => [
      Number(name.split("_").at(-1)),
      ids.map((id) => id.replace(/\.\d+\./, "#")),
    ]),
  );
  const sets = [namespace, ...(other ? [other] : [])];
  for (const [set, ids] of held) {
    if (abandoned.has(set)) continue;
    const isKnown = sets.some(
      (each) => each.vectorSet === set && each.vectorStoreConfig.provider === CAMPAIGN_STORE.provider,
    );
    if (!isKnown && ids.length > 0) faults.push(`the store has ${ids.length} vectors of the discarded set ${set}`);
    const unwanted = ids.filter((id, index) => !chunks.has(id) || ids.indexOf(id) !== index);
    if (unwanted.length > 0) faults.push(`the store has unwanted vectors in set ${set}: ${unwanted.join(" ")}`);
  }
  if (namespace.vectorStoreConfig.provider === CAMPAIGN_STORE.provider) {
    const ids = new Set(held.get(namespace.vectorSet));
    const missing = [...chunks].filter((id) => !ids.has(id));
    if (missing.length > 0) faults.push(`the store lacks ${missing.join(" ")} in set ${namespace.vectorSet}`);
  }
  return faults;
}

/** Adds documents, so that there is enough to embed again. */
async function add(handbook: NamespaceHandle, ledger: Ledger, count: number): Promise<void> {
  const first = 1 + Math.max(0, ...ledger.state.keys());
  for (let number = first; number < first + count; number++) {
    const text = `Word${number} lamp${number % 7} storm${number % 11} keeper${number % 13} of the north`;
    await handbook.ingest({ type: "TEXT", text }, { metadata: { number } });
    ledger.state.set(number, "added");
  }
}

type Searchable = Pick<NamespaceHandle, "search">;

type Ranking = readonly (readonly [text: string, score: number])[];

const textsOf = (rows: Ranking) => rows.map(([text]) => text).toSorted();

/** Stores add up similarities in another order, so scores differ in their last digits. */
function haveEqualScores(some: readonly Ranking[], others: readonly Ranking[]): boolean {
  return some.every((rows, query) => {
    const scores = new Map(others[query]);
    return rows.every(([text, score]) => Math.abs(score - (scores.get(text) ?? Number.NaN)) < MAX_SCORE_ERROR);
  });
}

/** The texts and scores that a model finds, those of equal scores in the order of their texts. */
async function ranking(searchable: Searchable): Promise<readonly Ranking[]> {
  const all: (readonly [text: string, score: number])[][] = [];
  for (const query of QUERIES) {
    const hits = await searchable.search(query, { mode: "semantic", topK: 100 });
    const cut = hits.at(-1)?.score ?? 0;
    const rows = hits
      .filter(({ score }) => hits.length < 100 || score > cut + MAX_SCORE_ERROR)
      .map(({ text, score }) => [text, score] as const);
    all.push(rows.toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
  }
  return all;
}
