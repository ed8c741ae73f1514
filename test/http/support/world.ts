import { InterfaceClient } from "./interface-client.js";
import type { Upload } from "./interface-types.js";
import { newOrganization, type TestOrganization, type TestServer } from "./test-server.js";

export const FILE = { fileName: "note.txt", contentType: "text/plain", fileSize: 5 };
export const FILE_BYTES = Buffer.from("hello");

/** The ids for paths and bodies. */
export interface Ids {
  readonly namespaceId: string;
  readonly jobId: string;
  readonly documentId: string;
  readonly blobId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly goldenQuestionId: string;
  readonly clickId: string;
  readonly evaluationId: string;
}

/** An organization with one record of each kind. */
export interface World extends Ids {
  readonly organization: TestOrganization;
  readonly client: InterfaceClient;
  readonly slug: string;
  /** The key of the completed upload of the document. */
  readonly key: string;
  /** An upload without its file; its key ends with `blobId`. */
  readonly pending: Upload;
  readonly chunksUrl: string;
  readonly fileUrl: string;
  /** A job, a golden question, a click and an evaluation of each tenant, with the job's document. */
  readonly tenants: Readonly<
    Record<"T1" | "T2", Pick<Ids, "jobId" | "documentId" | "goldenQuestionId" | "clickId" | "evaluationId">>
  >;
}

let made = 0;

export async function makeWorld(server: TestServer): Promise<World> {
  const organization = await newOrganization(server);
  const client = new InterfaceClient({ url: server.url, key: organization.key });
  made++;
  const { id: namespaceId, slug } = await client.createNamespace({ name: `World ${made}`, slug: `world-${made}` });
  await client.enableHosting(namespaceId);
  const stored = await client.createUpload(namespaceId, FILE);
  await client.put(stored, FILE.contentType, FILE_BYTES);
  const own = await ingest(client, namespaceId, { type: "MANAGED_FILE", key: stored.key });
  const text = (tenant: string) => ({ type: "TEXT", text: `The secret harbour of ${tenant} in ${slug}.` });
  const addQuestion = (tenant?: string) => addGoldenRecords(server, organization, namespaceId, tenant);
  const T1 = { ...(await ingest(client.tenant("T1"), namespaceId, text("T1"))), ...(await addQuestion("T1")) };
  const T2 = { ...(await ingest(client.tenant("T2"), namespaceId, text("T2"))), ...(await addQuestion("T2")) };
  const pending = await client.createUpload(namespaceId, FILE);
  const { url: chunksUrl } = await client.getChunksDownloadUrl(namespaceId, own.documentId);
  const { url: fileUrl } = await client.getFileDownloadUrl(namespaceId, own.documentId);
  const blobId = pending.key.split("/")[1]!;
  const urls = { pending, chunksUrl, fileUrl };
  const webhook = await makeWebhook(server, organization);
  const ids = { namespaceId, ...own, blobId, ...webhook, ...(await addQuestion()) };
  return { ...ids, organization, client, slug, key: stored.key, ...urls, tenants: { T1, T2 } };
}

/** A webhook that sends nothing, since it is disabled. */
async function makeWebhook(
  { kb }: TestServer,
  organization: TestOrganization,
): Promise<Pick<Ids, "webhookId" | "deliveryId">> {
  const { webhooks } = kb.organization(organization.id);
  const { id: webhookId } = await webhooks.create({ url: "https://hooks.invalid/" });
  const { id: deliveryId } = await webhooks.ping(webhookId);
  await webhooks.update(webhookId, { enabled: false });
  return { webhookId, deliveryId };
}

async function addGoldenRecords(
  { kb }: TestServer,
  organization: TestOrganization,
  namespaceId: string,
  tenant: string | undefined,
): Promise<Pick<Ids, "goldenQuestionId" | "clickId" | "evaluationId">> {
  const whole = kb.organization(organization.id).namespace(namespaceId);
  const namespace = tenant === undefined ? whole : whole.tenant(tenant);
  const question = { question: `Where is the harbour of ${tenant}?`, answers: [{ contains: "secret harbour" }] };
  const { id: goldenQuestionId } = await namespace.goldenQuestions.add(question);
  const { id: clickId } = await namespace.clicks.add({ question: "Where is the harbour?", chunkId: "doc_1#0" });
  const settings = [{ name: "words", mode: "keyword" }] as const;
  const { id: evaluationId } = await namespace.evaluations.run({ settings });
  return { goldenQuestionId, clickId, evaluationId };
}

async function ingest(
  client: InterfaceClient,
  namespaceId: string,
  payload: object,
): Promise<Pick<Ids, "jobId" | "documentId">> {
  const { id: jobId } = await client.createIngestJob(namespaceId, { payload });
  const { status, error } = await client.completed(namespaceId, jobId);
  if (status !== "COMPLETED") throw new Error(`The job is ${status}: ${error}`);
  const { data } = await client.listDocuments(namespaceId, { ingestJobId: jobId });
  return { jobId, documentId: data[0]!.id };
}

/** Well-formed ids of no record. */
export const ABSENT: Ids = {
  namespaceId: `ns_${"0".repeat(32)}`,
  jobId: `job_${"0".repeat(32)}`,
  documentId: `doc_${"0".repeat(32)}`,
  blobId: "0".repeat(32),
  webhookId: `wh_${"0".repeat(32)}`,
  deliveryId: `msg_${"0".repeat(32)}`,
  goldenQuestionId: `gq_${"0".repeat(32)}`,
  clickId: `click_${"0".repeat(32)}`,
  evaluationId: `eval_${"0".repeat(32)}`,
};
