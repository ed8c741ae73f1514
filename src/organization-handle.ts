import type { EngineOpener } from "./engine/engine.js";
import { type NamespaceOwner, namespaceResolver } from "./engine/resolve-namespace.js";
import { NamespaceHandle } from "./namespace-handle.js";
import { ApiKeys } from "./resources/api-keys.js";
import { Documents } from "./resources/documents.js";
import { FeedbackResource } from "./resources/feedback.js";
import { HostingSettingsResource } from "./resources/hosting.js";
import { IngestJobs } from "./resources/ingest-jobs.js";
import { Namespaces } from "./resources/namespaces.js";
import { Uploads } from "./resources/uploads.js";
import type { Metadata, Namespace } from "./types.js";

/** The namespaces, documents and keys of one organization. Methods take a namespace's id or slug as first argument. */
export class OrganizationHandle {
  readonly id: string;
  readonly namespaces: Namespaces;
  readonly ingestJobs: IngestJobs<Metadata>;
  readonly documents: Documents<Metadata>;
  readonly uploads: Uploads;
  readonly feedback: FeedbackResource;
  readonly hosting: HostingSettingsResource;
  readonly apiKeys: ApiKeys;
  readonly #owner: NamespaceOwner;

  /** @internal */
  constructor(open: EngineOpener, id: string) {
    this.id = id;
    this.#owner = { open, organizationId: id };
    const resolve = namespaceResolver(this.#owner, null);
    this.namespaces = new Namespaces(open, id);
    this.ingestJobs = new IngestJobs(resolve);
    this.documents = new Documents(resolve);
    this.uploads = new Uploads(resolve);
    this.feedback = new FeedbackResource(resolve);
    this.hosting = new HostingSettingsResource(resolve);
    this.apiKeys = new ApiKeys(open, id);
  }

  /** Returns a handle on a namespace, by id, slug or record. Nothing is looked up until a method of it is called. */
  namespace<M = Metadata>(ref: string | Namespace): NamespaceHandle<M> {
    const name = typeof ref === "string" ? ref : ref.id;
    return new NamespaceHandle<M>(name, null, this.#owner);
  }
}
