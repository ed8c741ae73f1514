import type { ImportedNamespace, ImportOptions } from "./bundle/import.js";
import type { EngineOpener } from "./engine/engine.js";
import { type NamespaceOwner, namespaceResolver } from "./engine/resolve-namespace.js";
import { NamespaceHandle } from "./namespace-handle.js";
import { ApiKeys } from "./resources/api-keys.js";
import { Clicks } from "./resources/clicks.js";
import { Documents } from "./resources/documents.js";
import { FeedbackResource } from "./resources/feedback.js";
import { GoldenQuestions } from "./resources/golden-questions.js";
import { HostingSettingsResource } from "./resources/hosting.js";
import { IngestJobs } from "./resources/ingest-jobs.js";
import { Namespaces } from "./resources/namespaces.js";
import { type OrganizationUsage, readUsage } from "./resources/read-usage.js";
import { Uploads } from "./resources/uploads.js";
import { Webhooks } from "./resources/webhooks.js";
import type { CallOptions, Metadata, Namespace } from "./types.js";
import { importOptionsSchema } from "./validation/bundle-schema.js";
import { parseInput } from "./validation/parse-input.js";

/** The namespaces, documents, keys and webhooks of one organization. Methods take a namespace's id or slug as first argument. */
export class OrganizationHandle {
  readonly id: string;
  readonly namespaces: Namespaces;
  readonly ingestJobs: IngestJobs<Metadata>;
  readonly documents: Documents<Metadata>;
  readonly uploads: Uploads;
  readonly feedback: FeedbackResource;
  readonly clicks: Clicks;
  readonly goldenQuestions: GoldenQuestions;
  readonly hosting: HostingSettingsResource;
  readonly apiKeys: ApiKeys;
  readonly webhooks: Webhooks;
  readonly #owner: NamespaceOwner;

  /** @internal */
  constructor(open: EngineOpener, id: string) {
    this.id = id;
    this.#owner = { open, organizationId: id };
    const resolve = namespaceResolver(this.#owner, { tenantId: null, principals: null });
    this.namespaces = new Namespaces(open, id);
    this.ingestJobs = new IngestJobs(resolve);
    this.documents = new Documents(resolve);
    this.uploads = new Uploads(resolve);
    this.feedback = new FeedbackResource(resolve);
    this.clicks = new Clicks(resolve);
    this.goldenQuestions = new GoldenQuestions(resolve);
    this.hosting = new HostingSettingsResource(resolve);
    this.apiKeys = new ApiKeys(open, id);
    this.webhooks = new Webhooks(open, id);
  }

  /**
   * Imports a bundle that {@link NamespaceHandle.export} wrote, as a new namespace of this organization. The whole file
   * is checked first, and the namespace appears in one step: if the import fails or its process is killed, nothing of it
   * is seen, and the worker removes what was written. Documents and jobs get new ids. A bundle may come from anyone:
   * its records are validated, and it can't choose a hosted embedder.
   *
   * @throws KnowledgeBaseError `not_found` for the file or organization, `invalid_input` that names the place at which
   * the bundle is damaged, `conflict` if the slug is taken, or if passages have to be embedded again and `reembed` isn't
   * set
   * @example
   * const { namespace } = await kb.organization("org_acme").import("handbook.lorebase", { slug: "handbook-2" });
   */
  async import(file: string, options: ImportOptions = {}): Promise<ImportedNamespace> {
    const given = parseInput(importOptionsSchema, options);
    const [engine, { importNamespace }] = await Promise.all([
      this.#owner.open(given.signal),
      import("./bundle/import.js"),
    ]);
    return importNamespace(engine, this.id, file, given);
  }

  /**
   * Returns what the organization stores, and the limits of its quota. What is being deleted doesn't count any more.
   * @throws KnowledgeBaseError `not_found`
   */
  async usage(options: CallOptions = {}): Promise<OrganizationUsage> {
    return readUsage(await this.#owner.open(options.signal), this.id);
  }

  /** Returns a handle on a namespace, by id, slug or record. Nothing is looked up until a method of it is called. */
  namespace<M = Metadata>(ref: string | Namespace): NamespaceHandle<M> {
    const name = typeof ref === "string" ? ref : ref.id;
    return new NamespaceHandle<M>(name, null, this.#owner);
  }
}
