import type { Document, Hosting, IngestJob, List, Namespace, SearchResult, Upload } from "./interface-types.js";

/** One request with its response. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

export interface ClientOptions {
  readonly url: string;
  readonly key: string;
  readonly tenantId?: string;
  onAnswer?(exchange: Exchange): void;
}

type Json = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string | number>>;

/** An error in the envelope of the interface. */
export class InterfaceError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, message }: { code: string; message: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A client written only from the interface's documentation: every success is JSON in the envelope. */
export class InterfaceClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  tenant(tenantId: string): InterfaceClient {
    return new InterfaceClient({ ...this.#options, tenantId });
  }

  listNamespaces = (query: Query = {}) => this.#list<Namespace>("/v1/namespace", query);
  createNamespace = (body: Json) => this.#data<Namespace>("POST", "/v1/namespace", body);
  getNamespace = (namespace: string) => this.#data<Namespace>("GET", at(namespace));
  updateNamespace = (namespace: string, body: Json) => this.#data<Namespace>("PATCH", at(namespace), body);
  deleteNamespace = (namespace: string) => this.#data<Namespace>("DELETE", at(namespace));
  warmUp = (namespace: string) => this.#data<{ status: boolean }>("POST", `${at(namespace)}/warm-up`);

  listIngestJobs = (namespace: string, query: Query = {}) => this.#list<IngestJob>(jobs(namespace), query);
  createIngestJob = (namespace: string, body: Json) => this.#data<IngestJob>("POST", jobs(namespace), body);
  getIngestJobInfo = (namespace: string, job: string) => this.#data<IngestJob>("GET", `${jobs(namespace)}/${job}`);
  deleteIngestJob = (namespace: string, job: string) => this.#data<IngestJob>("DELETE", `${jobs(namespace)}/${job}`);
  reIngestJob = (namespace: string, job: string) =>
    this.#data<{ id: string }>("POST", `${jobs(namespace)}/${job}/re-ingest`);
  cancelIngestJob = (namespace: string, job: string) =>
    this.#data<IngestJob>("POST", `${jobs(namespace)}/${job}/cancel`);

  listDocuments = (namespace: string, query: Query = {}) => this.#list<Document>(documents(namespace), query);
  getDocument = (namespace: string, id: string) => this.#data<Document>("GET", `${documents(namespace)}/${id}`);
  deleteDocument = (namespace: string, id: string) => this.#data<Document>("DELETE", `${documents(namespace)}/${id}`);
  getChunksDownloadUrl = (namespace: string, id: string) =>
    this.#data<{ url: string }>("POST", `${documents(namespace)}/${id}/chunks-download-url`);
  getFileDownloadUrl = (namespace: string, id: string) =>
    this.#data<{ url: string }>("POST", `${documents(namespace)}/${id}/file-download-url`);

  search = (namespace: string, body: Json) =>
    this.#data<readonly SearchResult[]>("POST", `${at(namespace)}/search`, body);

  createUpload = (namespace: string, body: Json) => this.#data<Upload>("POST", `${at(namespace)}/uploads`, body);
  createBatchUpload = (namespace: string, body: Json) =>
    this.#data<readonly Upload[]>("POST", `${at(namespace)}/uploads/batch`, body);

  getHosting = (namespace: string) => this.#data<Hosting>("GET", `${at(namespace)}/hosting`);
  enableHosting = (namespace: string, body: Json = {}) => this.#data<Hosting>("POST", `${at(namespace)}/hosting`, body);
  updateHosting = (namespace: string, body: Json, method: "PATCH" | "PUT" = "PATCH") =>
    this.#data<Hosting>(method, `${at(namespace)}/hosting`, body);
  disableHosting = (namespace: string) => this.#data<Hosting>("DELETE", `${at(namespace)}/hosting`);

  /** Sends the bytes of a file to the URL of its upload. */
  async put({ url }: Upload, contentType: string, bytes: Uint8Array): Promise<void> {
    const response = await fetch(url, { method: "PUT", headers: { "content-type": contentType }, body: bytes });
    if (!response.ok) throw new Error(`The upload was answered with ${response.status}: ${await response.text()}`);
  }

  /** Polls a job until it has ended. */
  async completed(namespace: string, job: string): Promise<IngestJob> {
    while (true) {
      const found = await this.getIngestJobInfo(namespace, job);
      if (["COMPLETED", "FAILED", "CANCELLED"].includes(found.status)) return found;
    }
  }

  async #data<Data>(method: string, path: string, body?: Json): Promise<Data> {
    return (await this.#call<{ data: Data }>(method, path, body)).data;
  }

  #list<Item>(path: string, query: Query): Promise<List<Item>> {
    const text = new URLSearchParams(Object.entries(query) as [string, string][]).toString();
    return this.#call<List<Item>>("GET", text ? `${path}?${text}` : path);
  }

  async #call<Envelope>(method: string, path: string, body?: Json): Promise<Envelope> {
    const { url, key, tenantId, onAnswer } = this.#options;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(tenantId === undefined ? {} : { "x-tenant-id": tenantId }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { error: { code: string; message: string } };
    onAnswer?.({ method, path: path.split("?")[0]!, status: response.status, body: answer });
    if (!response.ok) throw new InterfaceError(response.status, answer.error);
    return answer as Envelope;
  }
}

const at = (namespace: string) => `/v1/namespace/${namespace}`;
const jobs = (namespace: string) => `${at(namespace)}/ingest-jobs`;
const documents = (namespace: string) => `${at(namespace)}/documents`;
