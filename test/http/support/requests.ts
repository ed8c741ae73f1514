import { ROUTES } from "#dist/http/routes/index.js";
import type { Route } from "../../../src/http/route.js";
import type { Sent } from "./send.js";
import { FILE, FILE_BYTES, type Ids } from "./world.js";

interface Example {
  readonly query?: string;
  readonly body?: unknown;
}

const none: Example = {};

/** Valid input of each operation, so that a request can only be refused for another reason. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  listNamespaces: { query: "?perPage=5" },
  createNamespace: { body: { name: "Made", slug: "made" } },
  getNamespace: none,
  updateNamespace: { body: { name: "Taken over" } },
  deleteNamespace: { query: "?abandonStore=false" },
  warmUpNamespace: none,
  getReembedding: none,
  estimateReembedding: { body: { embeddingConfig: { provider: "MANAGED_STATIC" } } },
  startReembedding: { body: { embeddingConfig: { provider: "MANAGED_STATIC" } } },
  evaluateReembedding: { body: { settings: [{ name: "words", mode: "keyword" }], queries: 5 } },
  cutOverReembedding: none,
  rollBackReembedding: none,
  resumeReembedding: none,
  discardReembedding: { query: "?abandonStore=false" },
  listIngestJobs: { query: "?statuses=COMPLETED" },
  createIngestJob: { body: { payload: { type: "TEXT", text: "Put in by somebody." } } },
  getIngestJobInfo: none,
  deleteIngestJob: none,
  reIngestJob: none,
  cancelIngestJob: none,
  watchIngestJob: none,
  listDocuments: { query: "?order=asc" },
  getDocument: none,
  getDocumentText: { query: "?fromPage=1" },
  updateDocument: { body: { allow: ["user:7"] } },
  deleteDocument: none,
  getChunksDownloadUrl: none,
  getFileDownloadUrl: none,
  search: { body: { query: "secret harbour" } },
  findSimilar: { body: { passageId: "doc_absent#0" } },
  listPassages: { body: { orderBy: { key: "filename" }, includeTotal: true } },
  countFacets: { body: { keys: ["filename"] } },
  chat: { body: { messages: [{ role: "user", parts: [{ type: "text", text: "secret harbour" }] }] } },
  reportHealth: { body: { maxSeconds: 1 } },
  listHealthFindings: { query: "?kind=stale-documents" },
  listGoldenQuestions: { query: "?statuses=active" },
  addGoldenQuestion: { body: { question: "Whose harbour?", answers: [{ contains: "secret" }] } },
  importGoldenQuestions: { body: { questions: [{ question: "Whose harbour?", answers: [{ contains: "secret" }] }] } },
  makeGoldenQuestionsFromFeedback: { body: { status: "draft" } },
  makeGoldenQuestionsFromClicks: { body: { minClicks: 2 } },
  generateGoldenQuestions: { body: { limit: 1 } },
  listClicks: { query: "?order=asc" },
  addClick: { body: { question: "secret harbour", chunkId: "doc_absent#0" } },
  deleteClick: none,
  listEvaluations: { query: "?order=asc" },
  runEvaluation: { body: { name: "Taken over", settings: [{ name: "words", mode: "keyword" }], measures: ["MRR@10"] } },
  getEvaluation: none,
  compareEvaluations: { query: "?baselineId=eval_absent" },
  deleteEvaluation: none,
  getGoldenGuard: none,
  setGoldenGuard: { body: { measures: ["MRR@10"] } },
  deleteGoldenGuard: none,
  getGoldenQuestion: none,
  updateGoldenQuestion: { body: { status: "disabled" } },
  deleteGoldenQuestion: none,
  createUpload: { body: FILE },
  createBatchUpload: { body: { files: [FILE] } },
  getHosting: none,
  enableHosting: { body: { title: "Taken over" } },
  updateHosting: { body: { title: "Taken over" } },
  putHosting: { body: { title: "Taken over" } },
  disableHosting: none,
  getUsage: none,
  listWebhooks: { query: "?order=asc" },
  createWebhook: { body: { url: "https://hooks.invalid/" } },
  getWebhook: none,
  updateWebhook: { body: { description: "Taken over", enabled: true } },
  deleteWebhook: none,
  rotateWebhookSecret: none,
  pingWebhook: none,
  listWebhookDeliveries: { query: "?status=PENDING" },
  getWebhookDelivery: none,
  redeliverWebhook: none,
  metrics: none,
  putBlob: { query: "?expires=4000000000000&signature=none", body: FILE_BYTES },
  downloadChunks: { query: "?expires=4000000000000&signature=none" },
  downloadFile: { query: "?expires=4000000000000&signature=none" },
};

/** The routes that need a key. */
export const KEY_ROUTES = ROUTES.filter(({ access }) => access !== "public" && access !== "signed");
export const SIGNED_ROUTES = ROUTES.filter(({ access }) => access === "signed");

/** A request to a route with these ids, unescaped, in its path. */
export function requestTo(route: Route, ids: Partial<Ids>, headers: Readonly<Record<string, string>>): Sent {
  const { query = "", body } = EXAMPLES[route.operationId]!;
  const path = route.path.replace(/:(\w+)/g, (_, name: keyof Ids) => ids[name]!);
  const bytes = body instanceof Uint8Array ? body : JSON.stringify(body);
  return { method: route.method, path: `${path}${query}`, headers, ...(body === undefined ? {} : { body: bytes }) };
}

export function paramsOf({ path }: Route): (keyof Ids)[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as keyof Ids);
}
