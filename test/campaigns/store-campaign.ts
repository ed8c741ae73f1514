import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { scriptArguments } from "../support/script-arguments.js";
import { fakePinecone } from "../support/vendors/pinecone.js";
import type { Fault, ScriptedServer, VendorRequest } from "../support/vendors/scripted-server.js";
import { fakeTurbopuffer } from "../support/vendors/turbopuffer.js";

const SCRIPT = scriptArguments(fileURLToPath(new URL("./store-child.ts", import.meta.url)));

/** The stores that there are fakes of. Pinecone's is slow to see what was written. */
const VENDORS = {
  Pinecone: () => fakePinecone({ dimension: 1024, lag: 1 }),
  Turbopuffer: () => fakeTurbopuffer(),
};
export type Vendor = keyof typeof VENDORS;

export interface StoreCampaignOptions {
  readonly vendor: Vendor;
  /** The module that processes import the engine from. */
  readonly library: string;
  /** Calls to kill at, of as many as the work takes. @default every call */
  choose?(calls: number): readonly number[];
  onKill?(outcome: Killed): void;
}

/** What was left of a process that was killed at a call, once another had finished its work. */
interface Killed {
  readonly call: number;
  /** As in `POST /vectors/upsert`. */
  readonly request: string;
  /** Whether the vendor still did what it was asked to. */
  readonly applied: boolean;
  /** Vectors that the store has without a published chunk, and published chunks that it has no vector of. */
  readonly faults: readonly string[];
  readonly published: number;
}

export interface StoreCampaignOutcome {
  readonly calls: number;
  readonly kills: readonly Killed[];
}

/**
 * Kills a process with SIGKILL at each of its calls to a hosted store, before and after the vendor has done what it was asked to, lets
 * another process finish, and compares what the store then holds with the published chunks.
 */
export async function storeCampaign(options: StoreCampaignOptions): Promise<StoreCampaignOutcome> {
  const calls = await withRun(options, async (run) => {
    await run.finished("work");
    return run.calls();
  });
  const kills: Killed[] = [];
  for (const call of options.choose?.(calls) ?? Array.from({ length: calls }, (_, index) => index + 1)) {
    for (const applied of [false, true]) {
      const killed = await withRun(options, (run) => run.killedAt(call, applied));
      if (!killed) continue;
      kills.push(killed);
      options.onKill?.(killed);
    }
  }
  return { calls, kills };
}

async function withRun<Result>(options: StoreCampaignOptions, use: (run: Run) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-stores-"));
  const server = await VENDORS[options.vendor]();
  try {
    return await use(new Run(options, directory, server));
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

class Run {
  readonly #options: StoreCampaignOptions;
  readonly #directory: string;
  readonly #server: ScriptedServer & { contents(): ReadonlyMap<string, readonly string[]> };

  constructor(options: StoreCampaignOptions, directory: string, server: Awaited<ReturnType<(typeof VENDORS)[Vendor]>>) {
    this.#options = options;
    this.#directory = directory;
    this.#server = server;
  }

  calls(): number {
    return this.#server.requests.length;
  }

  /** Null where the process had less to ask than the one before it. */
  async killedAt(call: number, applied: boolean): Promise<Killed | null> {
    const { child, closed } = this.#spawn("work");
    let at: VendorRequest | null = null;
    let calls = 0;
    this.#server.failWhen((request): Fault | undefined => {
      calls++;
      if (calls < call) return undefined;
      if (calls === call) {
        at = request;
        child.kill("SIGKILL");
      }
      // What it asked for beside this call may be on its way.
      return calls === call && applied ? "reset" : "refuse";
    });
    await closed;
    const killed = at as VendorRequest | null;
    if (!killed) return null;
    this.#server.failWhen(() => undefined);
    await this.finished("finish");
    return { call, applied, request: `${killed.method} ${killed.path}`, ...this.#compare() };
  }

  /** Runs a process to its end. @throws where it fails */
  async finished(task: "work" | "finish"): Promise<void> {
    const { closed, said } = this.#spawn(task);
    await closed;
    if (!said().endsWith("finished\n")) throw new Error(`The process failed: ${said()}`);
  }

  #compare(): Pick<Killed, "faults" | "published"> {
    const database = new Database(join(this.#directory, "lorebase.db"), { readonly: true });
    const ids = (condition: string) =>
      database
        .prepare(
          `SELECT d.id || '.' || c.generation || '.' || c.ordinal FROM chunks c
           JOIN documents d ON d.seq = c.document_seq WHERE ${condition}`,
        )
        .pluck()
        .all() as string[];
    const published = new Set(ids("c.generation = d.generation"));
    const leftovers = ids("c.generation <> d.generation").length;
    const unfinished = database.prepare("SELECT count(*) FROM documents WHERE status <> 'COMPLETED'").pluck().get();
    database.close();
    const held = new Set([...this.#server.contents().values()].flat());
    const faults = [
      ...[...held].filter((id) => !published.has(id)).map((id) => `orphan ${id}`),
      ...[...published].filter((id) => !held.has(id)).map((id) => `missing ${id}`),
      ...(leftovers > 0 ? [`${leftovers} chunks that are not published`] : []),
      ...(Number(unfinished) > 0 ? [`${unfinished} documents that are not completed`] : []),
    ];
    return { faults, published: published.size };
  }

  #spawn(task: "work" | "finish"): { child: ChildProcess; closed: Promise<void>; said: () => string } {
    const { library, vendor } = this.#options;
    const parameters = [library, this.#directory, vendor, this.#server.origin, task];
    const child = spawn(process.execPath, [...SCRIPT, ...parameters], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
    }
    return { child, closed: new Promise((resolve) => child.once("close", () => resolve())), said: () => text };
  }
}
