import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { scriptArguments } from "../support/script-arguments.js";
import { type Random, seededRandom } from "./random.js";

const SCRIPT = scriptArguments(fileURLToPath(new URL("./sync-child.ts", import.meta.url)));
const FIRST_FILES = 60;
/** A sync of some changed files takes about as long, loading not counted. */
const LONGEST_MS = 900;

export interface SyncCampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** The module that processes import the engine from. */
  readonly library: string;
  onRound?(round: number, outcome: SyncCampaignOutcome): void;
}

export interface SyncCampaignOutcome {
  /** Syncs that were killed before they had done. */
  readonly killed: number;
  readonly checks: number;
  readonly faults: readonly string[];
}

/** Kills processes that sync a folder at random moments, changes the folder in between, and compares both after each third. */
export async function syncCampaign(options: SyncCampaignOptions): Promise<SyncCampaignOutcome> {
  const work = await mkdtemp(join(tmpdir(), "lorebase-sync-"));
  const directory = join(work, "kb");
  const dir = join(work, "folder");
  const random = seededRandom(options.seed);
  const faults: string[] = [];
  let killed = 0;
  let checks = 0;
  let written = 0;
  const change = (count: number) => {
    for (; count > 0; count--) changeFolder(dir, random, () => `word${written++}`);
  };
  const sync = async (killAfterMs: number | null) => {
    const child = new SyncProcess([options.library, directory, dir]);
    const ended = await child.run(killAfterMs);
    faults.push(...child.faults);
    if (ended === "killed") killed++;
  };
  const check = async () => {
    await sync(null);
    faults.push(...(await differences(options.library, directory, dir)).map((fault) => `check ${checks}: ${fault}`));
    checks++;
  };
  try {
    mkdirSync(dir);
    const { KnowledgeBase } = (await import(options.library)) as typeof import("lorebase");
    const kb = new KnowledgeBase({ directory, defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
    await kb.namespaces.create({ name: "Campaign", slug: "campaign" });
    await kb.close();
    change(FIRST_FILES);
    for (let round = 1; round <= options.rounds; round++) {
      await sync(random.integer(0, LONGEST_MS));
      if (round % 3 === 0) await check();
      change(random.integer(0, 12));
      options.onRound?.(round, { killed, checks, faults });
    }
    await check();
    return { killed, checks, faults };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Makes, rewrites, moves or deletes a file. Each text has a word of its own. */
function changeFolder(dir: string, random: Random, newWord: () => string): void {
  const files = filesOf(dir);
  const step = files.length < FIRST_FILES / 2 ? 0 : random.next();
  const text = () => `# ${newWord()}\n\n${Array.from({ length: random.integer(1, 40) }, newWord).join(" ")}\n`;
  const place = () => join(dir, random.pick(["", "a", "a/b", "c"]), `${newWord()}.md`);
  const put = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  if (step < 0.4) writeFileSync(put(place()), text());
  else if (step < 0.7) writeFileSync(join(dir, random.pick(files)), text());
  else if (step < 0.85) renameSync(join(dir, random.pick(files)), put(place()));
  else rmSync(join(dir, random.pick(files)));
}

function filesOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .sort();
}

/** What the namespace has otherwise than the folder: it has to have each file once, as it stands, and nothing else. */
async function differences(library: string, directory: string, dir: string): Promise<readonly string[]> {
  const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
  const kb = new KnowledgeBase({ directory, worker: false });
  const faults: string[] = [];
  try {
    const handle = kb.namespace("campaign");
    const expected = new Map(filesOf(dir).map((path) => [path, readFileSync(join(dir, path), "utf8")]));
    for await (const { id, status, config, totalChunks } of handle.documents.iterate()) {
      const path = String(config.metadata?.path);
      const text = expected.get(path);
      expected.delete(path);
      if (text === undefined) faults.push(`${path} is there twice, or though it is gone`);
      else if (status !== "COMPLETED") faults.push(`${path} is ${status}`);
      else {
        const words = text.match(/word\d+/g)!;
        const hits = await handle.search(words.at(-1)!, { mode: "keyword", topK: 5, filter: { path } });
        if (hits.length !== 1 || hits[0]!.metadata?.documentId !== id)
          faults.push(`${path} has ${hits.length} passages of its last word`);
        let shown = "";
        for await (const chunk of handle.documents.chunks(id)) shown += `${chunk.text} `;
        if (shown.match(/word\d+/g)?.join() !== words.join())
          faults.push(`${path} has other words, in ${totalChunks} chunks`);
      }
    }
    for (const path of expected.keys()) faults.push(`${path} is missing`);
  } finally {
    await kb.close();
  }
  return faults;
}

class SyncProcess {
  readonly faults: string[] = [];
  readonly #parameters: readonly string[];

  constructor(parameters: readonly string[]) {
    this.#parameters = parameters;
  }

  /** Runs to its end, or is killed some time after it has opened the knowledge base. */
  async run(killAfterMs: number | null): Promise<"done" | "killed"> {
    const child = spawn(process.execPath, [...SCRIPT, ...this.#parameters], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    let isDone = false;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "started" && killAfterMs !== null) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      else if (line.startsWith("done")) isDone = true;
      if (line.startsWith("fault") || (line.startsWith("done") && line !== "done 0")) this.faults.push(line);
    });
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      child.once("close", (...ended) => resolve(ended));
    });
    if (signal === null && code !== 0) this.faults.push(`A process ended with ${code}: ${said}`);
    return isDone ? "done" : "killed";
  }
}
