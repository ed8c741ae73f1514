import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KnowledgeBase } from "lorebase";
import { scriptArguments } from "../support/script-arguments.js";
import { after } from "./after.js";
import { type Random, seededRandom } from "./random.js";
import type { WebhookReport } from "./webhook-child.js";
import { compareWebhooks } from "./webhook-comparison.js";
import { CampaignReceiver } from "./webhook-receiver.js";

const SCRIPT = scriptArguments(fileURLToPath(new URL("./webhook-child.ts", import.meta.url)));
const LIBRARY = new URL("../../dist/index.js", import.meta.url).href;
const HOUR_MS = 3_600_000;

export interface WebhookOutcome {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly deleted: number;
  readonly deliveries: number;
  readonly requests: number;
  readonly failures: number;
  readonly repetitions: number;
  readonly faults: readonly string[];
}

/**
 * Kills processes with SIGKILL while they ingest and send events, two at a time, to a receiver that fails a fifth of the
 * requests and is down in every third round. Afterwards each event must have been accepted, in order for each document
 * and job, and acknowledged operations must have theirs.
 */
export async function webhookCampaign(options: {
  readonly rounds: number;
  readonly seed: number;
  onRound?(round: number): void;
}): Promise<WebhookOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-webhooks-"));
  const random = seededRandom(options.seed);
  const receiver = new CampaignReceiver(random);
  try {
    return await new Campaign(directory, random, receiver).run(options);
  } finally {
    await receiver.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

class Campaign {
  readonly #directory: string;
  readonly #random: Random;
  readonly #receiver: CampaignReceiver;
  readonly #created = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #faults: string[] = [];
  #aheadMs = 0;

  constructor(directory: string, random: Random, receiver: CampaignReceiver) {
    this.#directory = directory;
    this.#random = random;
    this.#receiver = receiver;
  }

  async run({ rounds, onRound }: Parameters<typeof webhookCampaign>[0]): Promise<WebhookOutcome> {
    const webhookId = await this.#prepare();
    for (let round = 1; round <= rounds; round++) {
      this.#receiver.isDown = round % 3 === 0;
      await this.#killOnce();
      // Retries of earlier rounds become due.
      this.#aheadMs += this.#random.integer(0, HOUR_MS);
      onRound?.(round);
    }
    this.#receiver.isDown = false;
    const deliveries = await this.#finish(webhookId);
    const { requests, failures, repetitions } = this.#receiver;
    return {
      ...{ rounds, acknowledged: this.#created.size, deleted: this.#deleted.size },
      ...{ deliveries, requests, failures, repetitions, faults: this.#faults },
    };
  }

  async #open(): Promise<KnowledgeBase> {
    const { KnowledgeBase } = (await import(LIBRARY)) as typeof import("lorebase");
    return new KnowledgeBase({
      directory: this.#directory,
      worker: false,
      network: { allowPrivateHosts: ["127.0.0.1"] },
      clock: () => new Date(Date.now() + this.#aheadMs),
    });
  }

  async #prepare(): Promise<string> {
    const url = await this.#receiver.start();
    const kb = await this.#open();
    const embeddingConfig = { provider: "MANAGED_LEXICAL" };
    await kb.namespaces.create({ name: "Campaign", slug: "campaign", embeddingConfig });
    const { id, secret } = await kb.webhooks.create({ url });
    this.#receiver.secret = secret;
    await kb.close();
    return id;
  }

  /** Starts two processes, and kills each at a random moment of its work. */
  async #killOnce(): Promise<void> {
    const children = [this.#spawn(), this.#spawn()];
    await Promise.all(
      children.map(async ({ child, started, closed }) => {
        await Promise.race([started, closed]);
        await after(this.#random.integer(0, 1500));
        child.kill("SIGKILL");
        await closed;
      }),
    );
  }

  #spawn(): { readonly child: ChildProcess; readonly started: Promise<void>; readonly closed: Promise<void> } {
    const parameters = [LIBRARY, this.#directory, String(this.#random.integer(0, 1e9)), String(this.#aheadMs)];
    const child = spawn(process.execPath, [...SCRIPT, ...parameters], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const started = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout! }).on("line", (line) => {
        // The last line may have been cut by the kill.
        if (!line.endsWith("}")) return;
        const report = JSON.parse(line) as WebhookReport;
        if ("created" in report) this.#created.add(report.created);
        else if ("deleted" in report) this.#deleted.add(report.deleted);
        else if ("fault" in report) this.#faults.push(report.fault);
        else resolve();
      });
    });
    return { child, started, closed };
  }

  /** Lets time pass until nothing is pending, and compares. Returns the number of deliveries. */
  async #finish(webhookId: string): Promise<number> {
    const kb = await this.#open();
    try {
      const { deliveries, faults } = await compareWebhooks({
        ...{ kb, webhookId, receiver: this.#receiver, created: this.#created, deleted: this.#deleted },
        advance: (ms) => {
          this.#aheadMs += ms;
        },
      });
      this.#faults.push(...faults);
      return deliveries;
    } finally {
      await kb.close();
    }
  }
}
