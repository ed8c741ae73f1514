import { type IngestPayload, KnowledgeBase } from "lorebase";
import { createHandler } from "lorebase/http";
import { expect, test } from "vitest";
import { ROUTES } from "#dist/http/routes/index.js";

// Generates docs/http.md: `npx vitest run test/http/documentation.test.ts -u` updates it.

const ORIGIN = "http://localhost:3000";
const LEAVE = "# Leave\n\nParental leave is 16 weeks, for both parents.";
const DEFINITIONS = Object.fromEntries(ROUTES.map((route) => [route.operationId, route]));

interface CallOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

test("docs/http.md shows every route with a request and its response", async () => {
  // A fixed clock and no worker make the page the same each time.
  const clock = () => new Date("2026-01-01T09:00:00Z");
  const kb = new KnowledgeBase({
    directory: ":memory:",
    worker: false,
    clock,
    metrics: true,
    retention: { sampledQueryDays: 30 },
  });
  try {
    const entries = await record(kb);
    expect(Object.keys(entries).sort()).toEqual(Object.keys(DEFINITIONS).sort());
    await expect(toPage(entries)).toMatchFileSnapshot("../../docs/http.md");
  } finally {
    await kb.close();
  }
});

/** Calls every route and records requests and responses. */
async function record(kb: KnowledgeBase): Promise<Record<string, string>> {
  const { key } = await kb.apiKeys.create({ name: "docs", scope: "admin" });
  const handler = createHandler(kb);
  const entries: Record<string, string> = {};
  const names = new StableNames();

  async function call(operationId: string, { path = {}, query = "", headers = {}, body }: CallOptions = {}) {
    const route = DEFINITIONS[operationId]!;
    const filled = route.path.replace(/:(\w+)/g, (_, name: string) => path[name]!);
    const url = `${filled}${query}`;
    const auth = ["public", "signed"].includes(route.access) ? {} : { Authorization: `Bearer ${key}` };
    const type = body === undefined || typeof body === "string" ? {} : { "Content-Type": "application/json" };
    const sent = { ...auth, ...type, ...headers };
    const text = body === undefined || typeof body === "string" ? (body ?? "") : JSON.stringify(body, null, 2);
    const init = { method: route.method, headers: sent, ...(body === undefined ? {} : { body: text }) };
    const response = await handler(new Request(`${ORIGIN}${url}`, init));
    const reply = await response.text();
    expect(response.status, `${operationId}: ${reply}`).toBe(route.status ?? 200);
    const request = [
      `${route.method} ${url}`,
      ...Object.entries(sent).map(([name, value]) => `${name}: ${value.replace(key, "lb_…")}`),
      ...(text ? ["", text] : []),
    ];
    const recorded = [
      `${response.status} ${response.headers.get("content-type") ?? ""}`.trim(),
      ...shown(operationId, reply),
    ];
    entries[operationId] = names.replaceIn([fence(request), fence(recorded)].join("\n\n"));
    return reply;
  }
  const data = async (operationId: string, options?: CallOptions) => JSON.parse(await call(operationId, options)).data;

  await call("health");
  await call("ready");
  await call("healthz");
  await call("readyz");
  await call("metrics");
  await call("errors");
  await call("openApi");
  const { id: namespaceId } = await data("createNamespace", {
    body: { name: "Handbook", slug: "handbook", embeddingConfig: { provider: "MANAGED_LEXICAL" } },
  });
  const at = { namespaceId: "handbook" };
  await call("listNamespaces");
  await call("getNamespace", { path: at });
  await call("updateNamespace", { path: at, body: { name: "Staff handbook" } });
  await call("warmUpNamespace", { path: at });

  const upload = await data("createUpload", {
    path: at,
    body: { fileName: "leave.md", contentType: "text/markdown", fileSize: LEAVE.length },
  });
  const [blobId] = upload.key.split("/").slice(1);
  await call("putBlob", {
    path: { namespaceId, blobId },
    query: new URL(upload.url).search,
    headers: { "Content-Type": "text/markdown", "Content-Length": String(LEAVE.length) },
    body: LEAVE,
  });
  await call("createBatchUpload", {
    path: at,
    body: { files: [{ fileName: "pay.pdf", contentType: "application/pdf", fileSize: 48_213 }] },
  });

  const payload = { type: "MANAGED_FILE", key: upload.key };
  const { id: jobId } = await data("createIngestJob", {
    path: at,
    body: { payload, externalId: "leave-2026", config: { metadata: { year: 2026 } } },
  });
  const job = { ...at, jobId };
  await kb.drain();
  await call("watchIngestJob", { path: job });
  await call("getIngestJobInfo", { path: job });
  await call("listIngestJobs", { path: at, query: "?statuses=COMPLETED,FAILED&perPage=1" });
  const [{ id: documentId }] = await data("listDocuments", { path: at, query: `?ingestJobId=${jobId}` });
  const document = { ...at, documentId };
  await call("getDocument", { path: document });
  await call("updateDocument", { path: document, body: { allow: ["group:hr", "user:7"] } });
  await call("updateDocument", { path: document, body: { allow: null } });
  await call("getDocumentText", { path: document, query: "?fromPage=1&toPage=1" });
  const search = { query: "how long is parental leave", mode: "hybrid", topK: 3, filter: { year: { $gte: 2025 } } };
  await call("search", { path: at, body: search });
  await call("findSimilar", { path: at, body: { passageId: `${documentId}#0`, topK: 1 } });
  const newest = { filter: { year: { $gte: 2025 } }, orderBy: { key: "year" }, perPage: 1, includeTotal: true };
  await call("listPassages", { path: at, body: newest });
  await call("countFacets", { path: at, body: { keys: ["year", "headings"], filter: { year: { $gte: 2025 } } } });
  const question = { role: "user", parts: [{ type: "text", text: "How long is parental leave?" }] };
  await call("chat", { path: at, body: { messages: [question], topK: 1 } });
  const chunks = await data("getChunksDownloadUrl", { path: document });
  await call("downloadChunks", { path: { documentId }, query: new URL(chunks.url).search });
  const file = await data("getFileDownloadUrl", { path: document });
  await call("downloadFile", { path: { documentId }, query: new URL(file.url).search });

  const embeddingConfig = { provider: "MANAGED_STATIC" };
  await call("estimateReembedding", { path: at, body: { embeddingConfig } });
  await call("startReembedding", { path: at, body: { embeddingConfig, chunksPerSecond: 500 } });
  await call("resumeReembedding", { path: at });
  await kb.drain();
  await call("getReembedding", { path: at });
  const comparison = { settings: [{ name: "default" }], measures: ["nDCG@10"], queries: 100 };
  await call("evaluateReembedding", { path: at, body: comparison });
  await call("setGoldenGuard", { path: at, body: { measures: ["nDCG@10"], settings: [{ name: "default" }] } });
  await call("getGoldenGuard", { path: at });
  await call("cutOverReembedding", { path: at, body: { ignoreGuard: true } });
  await call("deleteGoldenGuard", { path: at });
  await call("rollBackReembedding", { path: at });
  await call("discardReembedding", { path: at, query: "?abandonStore=false" });
  await kb.drain();

  await call("reIngestJob", { path: job, body: { chunking: { chunkSize: 1000 } } });
  await kb.drain();
  const text = { type: "TEXT", text: "Sick leave is paid from the first day." } as const;
  const waiting = await kb.ingestJobs.create("handbook", { payload: text });
  await call("cancelIngestJob", { path: { ...at, jobId: waiting.id } });
  await kb.drain();
  const policy =
    "Staff who are ill tell their manager before nine, and bring a certificate from a doctor after three days.";
  const items = [policy, policy.replace("nine", "ten")].map((copy) => ({ type: "TEXT", text: copy }));
  await kb.ingestJobs.create("handbook", { payload: { type: "BATCH", items } as IngestPayload });
  await kb.drain();
  await call("reportHealth", { path: at, body: { staleAfterDays: 180 } });
  await call("listHealthFindings", { path: at, query: "?kind=near-duplicates&perPage=10" });

  const { id: clickId } = await data("addClick", {
    path: at,
    body: { question: "how long is parental leave", chunkId: `${documentId}#0` },
  });
  await call("listClicks", { path: at });
  await call("makeGoldenQuestionsFromFeedback", { path: at, body: {} });
  await call("makeGoldenQuestionsFromClicks", { path: at, body: { minClicks: 1, status: "draft" } });
  await call("generateGoldenQuestions", { path: at, body: { limit: 20, perDocument: 2 } });
  await call("deleteClick", { path: { ...at, clickId } });
  const golden = { question: "When do staff bring a certificate?", answers: [{ contains: "after three days" }] };
  const { id: goldenQuestionId } = await data("addGoldenQuestion", { path: at, body: golden });
  const reworded = {
    id: "manager",
    question: "Who is told by staff who are ill?",
    answers: [{ contains: "their manager" }],
  };
  await call("importGoldenQuestions", { path: at, body: { questions: [golden, reworded] } });
  await call("listGoldenQuestions", { path: at, query: "?statuses=active&order=asc" });
  const goldenQuestion = { ...at, goldenQuestionId };
  await call("getGoldenQuestion", { path: goldenQuestion });
  const words = { name: "words", mode: "keyword" };
  const { id: baselineId } = await data("runEvaluation", {
    path: at,
    body: { settings: [words], measures: ["nDCG@10"] },
  });
  const { id: evaluationId } = await data("runEvaluation", {
    path: at,
    body: { name: "With meaning", settings: [{ name: "both" }, words], measures: ["nDCG@10", "recall@10"] },
  });
  const evaluation = { ...at, evaluationId };
  await call("listEvaluations", { path: at, query: "?perPage=1" });
  await call("getEvaluation", { path: evaluation });
  await call("compareEvaluations", { path: evaluation, query: `?baselineId=${baselineId}` });
  await call("deleteEvaluation", { path: evaluation });
  await call("updateGoldenQuestion", { path: goldenQuestion, body: { status: "disabled" } });
  await call("deleteGoldenQuestion", { path: goldenQuestion });
  await call("deleteDocument", { path: document });
  await call("deleteIngestJob", { path: job });

  await call("enableHosting", { path: at, body: { slug: "staff-handbook" } });
  await call("getHosting", { path: at });
  await call("updateHosting", { path: at, body: { title: "Ask the handbook", rerankLimit: 5 } });
  await call("putHosting", { path: at, body: { protected: false } });
  await call("disableHosting", { path: at });
  await call("getUsage");
  const url = "https://example.com/hooks/lorebase";
  const { id: webhookId } = await data("createWebhook", {
    body: { url, eventTypes: ["document.completed", "document.failed"] },
  });
  const webhook = { webhookId };
  await call("listWebhooks");
  await call("getWebhook", { path: webhook });
  await call("updateWebhook", { path: webhook, body: { description: "Search pages", eventTypes: [] } });
  await call("rotateWebhookSecret", { path: webhook });
  const { id: deliveryId } = await data("pingWebhook", { path: webhook });
  await call("listWebhookDeliveries", { path: webhook, query: "?status=PENDING" });
  await call("getWebhookDelivery", { path: { ...webhook, deliveryId } });
  await call("redeliverWebhook", { path: { ...webhook, deliveryId } });
  await call("deleteWebhook", { path: webhook });
  await call("deleteNamespace", { path: at, query: "?abandonStore=false" });
  return entries;
}

/** Responses that are too long to show. */
const OMITTED = ["openApi", "errors", "metrics"];

function shown(operationId: string, answer: string): readonly string[] {
  if (answer === "") return [];
  if (OMITTED.includes(operationId)) return ["", "…"];
  return ["", answer.startsWith("{") ? JSON.stringify(JSON.parse(answer), null, 2) : answer.trimEnd()];
}

function fence(lines: readonly string[]): string {
  return ["```http", ...lines, "```"].join("\n");
}

/** Replaces random ids by stable names, numbered in order of appearance. */
class StableNames {
  readonly #known = new Map<string, string>();

  replaceIn(text: string): string {
    return text
      .replace(
        /\b(ns|doc|job|key|wh|msg|gq|click|eval)_[0-9a-f]{32}\b|\b(?<=\/)[0-9a-f]{32}\b/g,
        (id, kind: string | undefined) => this.#name(id, kind ?? "blob"),
      )
      .replace(/"(p50|p95|max)": [\d.e-]+/g, '"$1": 1.5')
      .replace(/msg_[0-9a-f-]{36}/g, "msg_1")
      .replace(/signature=[\w-]+/g, "signature=…")
      .replace(/whsec_[\w+/=]+/g, "whsec_…")
      .replace(/("(?:nextCursor|prevCursor)": )"[^"]+"/g, '$1"…"');
  }

  #name(id: string, kind: string): string {
    const known = this.#known.get(id);
    if (known) return known;
    const count = [...this.#known.values()].filter((name) => name.startsWith(`${kind}_`)).length;
    const name = `${kind}_${count + 1}`;
    this.#known.set(id, name);
    return name;
  }
}

const REQUIRED_KEYS: Readonly<Record<string, string>> = {
  public: "no key",
  signed: "no key: the URL is signed",
  read: "key with the scope `read` or higher",
  write: "key with the scope `write` or higher",
  admin: "key with the scope `admin`",
};

function toPage(entries: Readonly<Record<string, string>>): string {
  const sections = ROUTES.map((route) => {
    const tenant = route.tenant ? "; supports `x-tenant-id`" : "";
    const endpoint = `\`${route.method} ${route.path.replace(/:(\w+)/g, "{$1}")}\``;
    const access = `${endpoint} · ${REQUIRED_KEYS[route.access]}${tenant}`;
    return [`## ${route.operationId}`, access, `${route.summary}.`, entries[route.operationId]].join("\n\n");
  });
  return `${INTRODUCTION}\n${sections.join("\n\n")}\n`;
}

const INTRODUCTION = `<!-- Generated by test/http/documentation.test.ts. Don't edit it: change the test and run it with -u. -->

# The /v1 interface

[Serving over HTTP](guide/server.md) explains how to run the server. This page is generated from a test: every
request and response below was recorded, with ids and signatures shortened. A running server describes the same
in OpenAPI 3.1: \`GET /v1/openapi.json\`.

- **Success** is \`{"success": true, "data": …}\`; lists also have \`pagination\`. **Errors** are
  \`{"success": false, "error": {"code", "message", "doc_url"}}\` with status 400, 401, 403, 404, 409, 422, 429 or 500.
  \`doc_url\` is a page that explains the code. An unsupported method is 404 with an \`Allow\` header. Every
  response has an \`X-Request-Id\`, which is also in the server's log.
- **Keys** go in \`Authorization: Bearer …\`. A key belongs to an organization and has a scope: \`read\`; \`write\`,
  which may also change the content of namespaces; \`admin\`, which may also change namespaces and hosting, and read
  and change webhooks. A revoked key stops working within two seconds. An event stream that it opened ends within five, with
  \`event: error\` and the body of a 401 as its data.
- **Namespaces** are addressed by id or slug. **Tenants**: the header \`x-tenant-id\`, 1 to 64 letters or digits,
  restricts an operation to one tenant. Without it, search sees only documents without a tenant, while lists and
  reads include everything.
- **Search** is \`semantic\` unless \`mode\` is \`keyword\` or \`hybrid\`. A hit's \`page_number\` is the page on which
  its text begins, and \`pages\` its first and last one. With \`includeHighlights\`, each highlight has its own page
  and the boxes of its sentence, or \`cells\`, the row of a workbook.
- **Chat** takes what the AI SDK's \`DefaultChatTransport\` sends and answers with its UI message stream. The last
  message of the user is the question; \`mode\`, \`topK\` and \`filter\` may be added. [Hosting a page](guide/page.md)
  describes the stream.
- **Bodies** are JSON of at most 10 MB and 32 levels; unknown keys are ignored. An empty body is \`{}\`.
- **Lists** take \`statuses\`, \`order\` (\`asc\`, \`desc\`), \`orderBy\` (\`createdAt\`), \`cursor\`, \`cursorDirection\`
  (\`forward\`, \`backward\`) and \`perPage\` (1 to 100, default 30); \`page\`, \`pageSize\`, \`sortBy\` and \`sortOrder\` are
  aliases. A cursor belongs to the list and order that returned it.
- **DELETE** returns the deleted record; with \`Prefer: return=minimal\`, 204 without a body. Where it takes parameters, unknown ones are
  refused.
- **Rate limits** apply to an organization: 60 requests a minute with the plan \`free\`, 600 with \`pro\`, none
  without a plan. Every response has \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` (seconds since 1970), and a
  429 has \`Retry-After\` (seconds). With PostgreSQL, all processes count together.
- **A quota** limits the documents, bytes and tokens of an organization: \`GET /v1/usage\` shows it. What does not
  fit is refused with 422; a document that turns out to be too large fails, with the reason in its \`error\`.
- **Uploads**: the URL accepts one PUT within an hour, with the declared \`Content-Type\` and exactly the
  announced number of bytes; with \`sha256\` (hexadecimal), exactly that content. **Downloads**: the URL
  works for 24 hours, supports \`Range\` and returns an attachment.
- **A signed URL needs no key** and works until it expires, even after the key that created it is revoked. A URL
  of a deleted document or namespace stops working. To end all signed URLs at once, run \`lorebase keys rotate\`
  and remove the old master key.
`;
