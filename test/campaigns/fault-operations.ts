import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { KnowledgeBase, KnowledgeBaseOptions } from "lorebase";
import type { Operation } from "./messages.js";

/** Runs operations on a whole knowledge base, and says what is wrong afterwards. */
export class FaultOperations {
  readonly #library: typeof import("lorebase");
  readonly #kb: KnowledgeBase;
  /** Without its directory. */
  readonly #options: KnowledgeBaseOptions;

  constructor(library: typeof import("lorebase"), kb: KnowledgeBase, options: KnowledgeBaseOptions) {
    this.#library = library;
    this.#kb = kb;
    this.#options = options;
  }

  /** Returns the faults. */
  async run(operation: Operation): Promise<readonly string[]> {
    if (operation.operation === "backup") return this.#backUp(operation.target);
    if (operation.operation === "restore") return this.#restore(operation.backup, operation.target);
    if (operation.operation === "copy") return this.#copy(operation.bundle, operation.slug);
    if (operation.operation === "compact") return this.#compact(operation.rewrite);
    return this.repair();
  }

  /** A check that must find nothing. */
  async check(kb = this.#kb): Promise<readonly string[]> {
    const faults: string[] = [];
    for await (const event of kb.check())
      if (event.type === "finding") faults.push(`corrupt: ${event.finding.message}`);
    return faults;
  }

  /** Repairs what the campaign has damaged, which is all derived from other data. */
  async repair(): Promise<readonly string[]> {
    const faults: string[] = [];
    for await (const event of this.#kb.check({ repair: true }))
      if (event.type === "finding" && !event.finding.isRepaired) faults.push(`corrupt: ${event.finding.message}`);
    return faults;
  }

  async #backUp(target: string): Promise<readonly string[]> {
    await this.#kb.backup(target, { verify: true, includeSecretKey: true });
    return [];
  }

  async #restore(backup: string, target: string): Promise<readonly string[]> {
    // The database comes last: a restore that was killed leaves none, or all.
    if (!existsSync(join(target, "lorebase.db"))) {
      await rm(target, { recursive: true, force: true });
      await this.#library.restoreBackup(backup, target);
    }
    // Its webhooks must not send again what the original sends: they can't reach the receiver.
    const kb = new this.#library.KnowledgeBase({ ...this.#options, network: {}, directory: target });
    try {
      await kb.drain();
      return await this.check(kb);
    } finally {
      await kb.close();
    }
  }

  async #compact(rewrite: boolean): Promise<readonly string[]> {
    await this.#kb.compact({ rewrite });
    return [];
  }

  async #copy(bundle: string, slug: string): Promise<readonly string[]> {
    for await (const { slug: earlier } of this.#kb.namespaces.iterate())
      if (earlier.startsWith("copy-")) await this.#kb.namespaces.delete(earlier);
    const exported = await this.#kb.export("campaign", bundle, { includeOriginals: true });
    const { documents } = await this.#kb.import(bundle, { slug });
    let found = 0;
    for await (const { status } of this.#kb.documents.iterate(slug)) if (status === "COMPLETED") found++;
    return found === exported.documents && found === documents
      ? []
      : [`lost: ${exported.documents} documents exported, ${documents} imported, ${found} found`];
  }
}
