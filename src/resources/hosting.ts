import { randomBytes } from "node:crypto";
import type { Engine } from "../engine/engine.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Access } from "../storage/records/access.js";
import type { HostingRecord } from "../storage/records/hosting.js";
import type { CallOptions } from "../types.js";
import { updateHostingSchema } from "../validation/hosting-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { Hosting, HostingPatch, HostingSettings } from "./hosting-settings.js";
import { timestamp } from "./records.js";

const DEFAULT_TOP_K = 50;
const DEFAULT_RERANK_LIMIT = 15;

/** The hosted page of a namespace: at most one. */
export class HostingSettingsResource {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /** @throws KnowledgeBaseError `not_found` until it is enabled */
  async get(namespace: string, options: CallOptions = {}): Promise<Hosting> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    return toHosting(await hostingOf(engine, access));
  }

  /** Turns the page on. @throws KnowledgeBaseError `conflict` if it is on already, or the slug is taken */
  async enable(namespace: string, input: HostingPatch = {}, options: CallOptions = {}): Promise<Hosting> {
    const patch = parseInput(updateHostingSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const defaults: HostingSettings = {
      title: access.namespace.name,
      slug: `${access.namespace.slug}-${randomBytes(4).toString("hex")}`,
      logo: null,
      ogTitle: null,
      ogDescription: null,
      ogImage: null,
      systemPrompt: null,
      exampleQuestions: [],
      exampleSearchQueries: [],
      welcomeMessage: null,
      citationMetadataPath: null,
      searchEnabled: true,
      rerankConfig: { model: null, limit: DEFAULT_RERANK_LIMIT },
      llmConfig: { model: null },
      topK: DEFAULT_TOP_K,
      protected: true,
      allowedEmails: [],
      allowedEmailDomains: [],
    };
    const settings = applyPatch(defaults, patch);
    const now = engine.now();
    const row = { namespaceId: access.namespaceId, ...toColumns(settings) };
    await engine.storage.hosting.enable({ settings: row, now });
    return toHosting({ ...row, createdAt: now, updatedAt: now });
  }

  /**
   * Changes settings. Without a change it returns them as they are. @throws KnowledgeBaseError `not_found`, `conflict`
   */
  async update(namespace: string, input: HostingPatch, options: CallOptions = {}): Promise<Hosting> {
    const patch = parseInput(updateHostingSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    for (;;) {
      const row = await hostingOf(engine, access);
      const before = settingsOf(row);
      const settings = applyPatch(before, patch);
      if (JSON.stringify(settings) === JSON.stringify(before)) return toHosting(row);
      const changed = { namespaceId: row.namespaceId, ...toColumns(settings) };
      const now = engine.now();
      // Settings are one value: if another call has changed them in the meantime, the patch is applied to the new
      // value.
      if (await engine.storage.hosting.replace({ before: row, settings: changed, now })) {
        return toHosting({ ...row, ...changed, updatedAt: now });
      }
    }
  }

  /** Turns the page off and forgets its settings, which are returned. @throws KnowledgeBaseError `not_found` */
  async disable(namespace: string, options: CallOptions = {}): Promise<Hosting> {
    const hosting = await this.get(namespace, options);
    const { engine } = await this.#resolve(namespace);
    await engine.storage.hosting.disable({ namespaceId: hosting.namespaceId });
    return hosting;
  }
}

/** @throws KnowledgeBaseError `not_found` until it is enabled */
async function hostingOf({ storage }: Engine, { namespace }: Access): Promise<HostingRecord> {
  const row = await storage.hosting.get({ namespaceId: namespace.id });
  if (row) return row;
  throw new KnowledgeBaseError(
    "not_found",
    `Hosting is not enabled for the namespace ${JSON.stringify(namespace.slug)}.`,
  );
}

function applyPatch(before: HostingSettings, patch: HostingPatch): HostingSettings {
  const { rerankModel, rerankLimit, llmModel, ...settings } = patch;
  const given = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Partial<HostingSettings>;
  const merged = { ...before, ...given };
  return {
    ...merged,
    rerankConfig: { model: rerankModel ?? merged.rerankConfig.model, limit: rerankLimit ?? merged.rerankConfig.limit },
    llmConfig: { model: llmModel ?? merged.llmConfig.model },
  };
}

function toColumns(settings: HostingSettings): { slug: string; settings: string } {
  return { slug: settings.slug, settings: JSON.stringify(settings) };
}

function settingsOf(row: HostingRecord): HostingSettings {
  return JSON.parse(row.settings);
}

function toHosting(row: HostingRecord): Hosting {
  return {
    ...settingsOf(row),
    namespaceId: row.namespaceId,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
