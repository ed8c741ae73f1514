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
import { toTimestamp } from "./records.js";

const DEFAULT_TOP_K = 50;
const DEFAULT_RERANK_LIMIT = 15;

/** The settings of namespaces' hosted pages. Each namespace has at most one page. */
export class HostingSettingsResource {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /** @throws KnowledgeBaseError `not_found` unless hosting is enabled */
  async get(namespace: string, options: CallOptions = {}): Promise<Hosting> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    return toHosting(engine, await requireHosting(engine, access));
  }

  /** Enables the page. @throws KnowledgeBaseError `conflict` if the page is already enabled or the slug is taken */
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
    return toHosting(engine, { ...row, createdAt: now, updatedAt: now });
  }

  /** Changes settings. Writes nothing if they are unchanged. @throws KnowledgeBaseError `not_found`, `conflict` */
  async update(namespace: string, input: HostingPatch, options: CallOptions = {}): Promise<Hosting> {
    const patch = parseInput(updateHostingSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    for (;;) {
      const row = await requireHosting(engine, access);
      const current = parseSettings(row);
      const settings = applyPatch(current, patch);
      if (JSON.stringify(settings) === JSON.stringify(current)) return toHosting(engine, row);
      const changed = { namespaceId: row.namespaceId, ...toColumns(settings) };
      const now = engine.now();
      // The settings are stored as one value. If another call has changed the value in the meantime, the patch is
      // applied to the new value.
      if (await engine.storage.hosting.replace({ before: row, settings: changed, now })) {
        return toHosting(engine, { ...row, ...changed, updatedAt: now });
      }
    }
  }

  /** Disables the page, and deletes and returns its settings. @throws KnowledgeBaseError `not_found` */
  async disable(namespace: string, options: CallOptions = {}): Promise<Hosting> {
    const hosting = await this.get(namespace, options);
    const { engine } = await this.#resolve(namespace);
    await engine.storage.hosting.disable({ namespaceId: hosting.namespaceId });
    return hosting;
  }
}

/** Returns the page with a slug, whatever its organization; `null` if there is none or its namespace is deleted. */
export async function findHostedPage(
  engine: Engine,
  slug: string,
): Promise<{ readonly settings: Hosting; readonly organizationId: string } | null> {
  const row = await engine.storage.hosting.getBySlug({ slug });
  return row ? { settings: toHosting(engine, row), organizationId: row.organizationId } : null;
}

/** @throws KnowledgeBaseError `not_found` unless hosting is enabled */
async function requireHosting({ storage }: Engine, { namespace }: Access): Promise<HostingRecord> {
  const row = await storage.hosting.get({ namespaceId: namespace.id });
  if (row) return row;
  throw new KnowledgeBaseError(
    "not_found",
    `Hosting is not enabled for the namespace ${JSON.stringify(namespace.slug)}.`,
  );
}

function applyPatch(current: HostingSettings, patch: HostingPatch): HostingSettings {
  const { rerankModel, rerankLimit, llmModel, ...settings } = patch;
  const changes = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Partial<HostingSettings>;
  const merged = { ...current, ...changes };
  return {
    ...merged,
    rerankConfig: { model: rerankModel ?? merged.rerankConfig.model, limit: rerankLimit ?? merged.rerankConfig.limit },
    llmConfig: { model: llmModel ?? merged.llmConfig.model },
  };
}

function toColumns(settings: HostingSettings): { slug: string; settings: string } {
  return { slug: settings.slug, settings: JSON.stringify(settings) };
}

function parseSettings(row: HostingRecord): HostingSettings {
  return JSON.parse(row.settings);
}

function toHosting({ options }: Engine, row: HostingRecord): Hosting {
  return {
    ...parseSettings(row),
    url: `${options.publicUrl ?? ""}/h/${row.slug}`,
    namespaceId: row.namespaceId,
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  };
}
