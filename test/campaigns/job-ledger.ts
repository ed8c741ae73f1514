import type { KnowledgeBase } from "lorebase";
import type { Report } from "./messages.js";
import type { Findings } from "./oracle.js";
import { planDocument, textOf } from "./pieces.js";
import type { Random } from "./random.js";

/** More jobs than this are thinned out, so that a late round costs what an early one does. */
const MOST_JOBS = 40;

/** How much a campaign ingests before its first round. */
export interface BaseContent {
  readonly jobs: number;
  /** In each job. */
  readonly documents: number;
  /** In each document. */
  readonly pieces: number;
}

/** The jobs of a campaign: what its processes were acknowledged, what they may delete, and what the last check found. */
export class JobLedger {
  readonly acknowledged = new Set<string>();
  readonly deleted = new Set<string>();
  readonly faults: string[] = [];
  /** The number of acknowledged creations. */
  created = 0;
  searches = 0;
  unreachable = 0;
  checks = 0;
  readonly #doomed = new Set<string>();
  /** The jobs that are never deleted. */
  base: readonly string[] = [];
  #jobs: Findings["jobs"] = [];

  /** Creates the namespace, and ingests jobs that are never deleted. Closes the knowledge base. */
  async prepare(kb: KnowledgeBase, random: Random, content: BaseContent): Promise<void> {
    const embeddingConfig = { provider: "MANAGED_LEXICAL" };
    await kb.namespaces.create({ name: "Campaign", slug: "campaign", embeddingConfig });
    const base = Array.from({ length: content.jobs }, (_, job) => {
      const items = Array.from({ length: content.documents }, (_, item) => {
        const document = planDocument(random, `base${job}x${item}`, content.pieces);
        const config = { metadata: { marker: document.marker } };
        return { type: "TEXT" as const, text: textOf(document, random), config };
      });
      return kb.namespace("campaign").ingestJobs.create({ payload: { type: "BATCH", items } });
    });
    this.base = (await Promise.all(base)).map(({ id }) => id);
    for (const id of this.base) this.acknowledged.add(id);
    await kb.drain();
    await kb.close();
  }

  /** Chooses the jobs to delete, which may live or not from here on. Returns them, and the others. */
  thinOut(): { readonly doomed: readonly string[]; readonly living: Findings["jobs"] } {
    const passing = this.#jobs.map(({ id }) => id).filter((id) => !this.base.includes(id));
    for (const id of passing.slice(0, Math.max(0, passing.length - MOST_JOBS))) this.#doomed.add(id);
    for (const id of this.#doomed) this.acknowledged.delete(id);
    return { doomed: [...this.#doomed], living: this.#jobs.filter(({ id }) => !this.#doomed.has(id)) };
  }

  /** Takes the findings of a check. Jobs that were to be deleted and still live are deleted again later. */
  record(round: string, { faults, jobs }: Pick<Findings, "faults" | "jobs">): void {
    this.checks++;
    this.faults.push(...faults.map((fault) => `${round}: ${fault}`));
    this.#jobs = jobs;
    for (const id of this.#doomed) if (!jobs.some((job) => job.id === id)) this.#doomed.delete(id);
  }

  /** Takes what a process reports. */
  hear(name: string, report: Report): void {
    if (report.report === "created") {
      this.acknowledged.add(report.job);
      this.created++;
    } else if (report.report === "deleted") this.deleted.add(report.job);
    else if (report.report === "searched") this.searches += report.searches;
    else if (report.report === "unreachable") this.unreachable++;
    else if (report.report === "fault") this.faults.push(`${name}: ${report.fault}`);
  }
}
