import { createCohere } from "@ai-sdk/cohere";
import type { KnowledgeBase, KnowledgeBaseOptions } from "lorebase";
import { afterEach, expect, it } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { cohereServer } from "../support/vendors/cohere.js";
import { tooMany } from "../support/vendors/scripted-server.js";
import { zeroEntropyServer } from "../support/vendors/zeroentropy.js";

const KEY = "sk-canary-04ac31";
const TEXTS = ["a lamp", "a lamp lit in fog", "a lamp at sea by night, lit"];
/** The interface's names, by the vendors' own. */
const NAMES = {
  "cohere:rerank-v4.0-pro": "vendor_a:rerank-v4.0-pro",
  "cohere:rerank-v4.0-fast": "vendor_a:rerank-v4.0-fast",
  "cohere:rerank-v3.5": "vendor_a:rerank-v3.5",
  "cohere:rerank-english-v3.0": "vendor_a:rerank-english-v3.0",
  "cohere:rerank-multilingual-v3.0": "vendor_a:rerank-multilingual-v3.0",
  "zeroentropy:zerank-2": "vendor_b:zerank-2",
  "zeroentropy:zerank-1": "vendor_b:zerank-1",
  "zeroentropy:zerank-1-small": "vendor_b:zerank-1-small",
};

let kb: KnowledgeBase;
afterEach(() => kb?.close());

const copyFilled = copiesOf(async (directory) => {
  const filling = openKnowledgeBase({ directory });
  const handle = await newNamespace(filling);
  await ingestTexts(handle, TEXTS);
  await filling.close();
  return handle.ref;
});

async function filled(options: (servers: Awaited<ReturnType<typeof start>>) => KnowledgeBaseOptions = () => ({})) {
  const servers = await start();
  const { directory, made } = await copyFilled();
  kb = openKnowledgeBase({
    directory,
    managed: servers.managed,
    network: { allowPrivateHosts: ["127.0.0.1"] },
    calls: { backoffMs: 1 },
    ...options(servers),
  });
  const handle = kb.namespace(made);
  const asked = () => [...servers.cohere.requests, ...servers.zero.requests].map(({ body }) => body.model);
  return { handle, asked, ...servers };
}

async function start() {
  const [cohere, zero] = await Promise.all([cohereServer(KEY), zeroEntropyServer(KEY)]);
  const managed = {
    cohere: { apiKey: KEY, baseUrl: `${cohere.origin}/v2/` },
    zeroentropy: { apiKey: KEY, baseUrl: `${zero.origin}/v1` },
  };
  return { cohere, zero, managed };
}

it("knows every model by either name once a key is configured", async () => {
  const { handle, asked } = await filled();
  for (const name of Object.entries(NAMES).flat()) {
    const hits = await handle.search("when is a lamp lit", { mode: "keyword", rerankModel: name });
    expect(hits.map(({ text }) => text)).toEqual([TEXTS[1], TEXTS[2], TEXTS[0]]);
    expect(hits.every(({ rerankScore }) => rerankScore! > 0 && rerankScore! < 1)).toBe(true);
  }
  const models = Object.keys(NAMES).flatMap((name) => Array(2).fill(name.split(":")[1]));
  expect(asked().toSorted()).toEqual(models.toSorted());
});

it("calls no service for a search that names none, unless one is configured", async () => {
  const { handle, asked } = await filled();
  const hits = await handle.search("lamp", { mode: "keyword" });
  expect(hits[0]).not.toHaveProperty("rerankScore");
  expect(asked()).toEqual([]);
});

it.each([
  [["vendor_b:zerank-1", "cohere"], "zerank-1"],
  [["cohere", "zeroentropy"], "rerank-v4.0-pro"],
  [["cohere:rerank-v5-of-next-year"], "rerank-v5-of-next-year"],
])("takes the first of %j where a search names none", async (rerankers, model) => {
  const { handle, asked } = await filled(() => ({ rerankers, rerankFailure: "keep-order" }));
  await handle.search("lamp", { mode: "keyword" });
  expect(asked()).toEqual([model]);
});

it("accepts a reranking model of the AI SDK under its own name", async () => {
  const { handle, cohere } = await filled(({ cohere }) => ({
    managed: undefined,
    rerankers: [createCohere({ apiKey: KEY, baseURL: `${cohere.origin}/v2` }).reranking("rerank-v3.5")],
  }));
  const hits = await handle.search("a lamp lit", { mode: "keyword", rerankModel: "vendor_a:rerank-v3.5" });
  expect(hits[0]!.text).toBe(TEXTS[1]);
  expect(await handle.search("a lamp lit", { mode: "keyword" })).toEqual(hits);
  expect(cohere.requests.map(({ body }) => body.model)).toEqual(["rerank-v3.5", "rerank-v3.5"]);
});

it.each([
  ["cohere:rerank-v3.5", { zeroentropy: { apiKey: KEY } }, /the option managed\.cohere is missing/],
  ["vendor_b:zerank-2", {}, /"vendor_b:zerank-2".*the option managed\.zeroentropy is missing/],
  ["cohere:rerank-v4.0-por", { cohere: { apiKey: KEY } }, /did you mean cohere:rerank-v4\.0-pro\?/],
  ["openrouter:any", { cohere: { apiKey: KEY } }, /configured: cohere:rerank-v4\.0-pro, /],
])("refuses %s, and says what is missing", async (rerankModel, managed, message) => {
  kb = openKnowledgeBase({ managed });
  const handle = await newNamespace(kb);
  const error = await failureOf(() => handle.search("lamp", { rerankModel }));
  expect(error.code).toBe("invalid_input");
  expect(error.issues).toEqual([{ field: "rerankModel", message: expect.stringMatching(message), reference: true }]);
});

it("refuses invalid options without showing a key", async () => {
  const refused = async (options: object) => (await failureOf(() => openKnowledgeBase(options))).message;
  expect(await refused({ rerankers: ["transformers", "vendor_a:rerank-v3.5"] })).toBe(
    'rerankers[1]: "vendor_a:rerank-v3.5" needs the option managed.cohere: { apiKey }',
  );
  expect(await refused({ managed: { cohere: {} } })).toMatch(/managed\.cohere\.apiKey/);
  expect(await refused({ managed: { cohere: { apiKey: KEY, baseUrl: "ftp://cohere" } } })).toMatch(/baseUrl.*http/);
  expect(await refused({ managed: { coheer: { apiKey: KEY } } })).toMatch(/did you mean "cohere"/);
  for (const managed of [
    KEY,
    { cohere: KEY },
    { cohere: { apiKey: [KEY] } },
    { cohere: { apiKey: KEY, model: KEY } },
  ]) {
    expect(await refused({ managed })).not.toContain(KEY);
  }
});

it("retries transient failures only", async () => {
  const { handle, asked, cohere, zero } = await filled();
  const search = (rerankModel: string) => handle.search("a lamp lit", { mode: "keyword", rerankModel });
  cohere.failNext({ status: 500, body: { message: "try later" } });
  cohere.failNext(tooMany({ message: "too many" }, "0"));
  cohere.failNext("reset");
  expect((await search("cohere:rerank-v3.5"))[0]!.text).toBe(TEXTS[1]);
  expect(asked()).toEqual(Array(4).fill("rerank-v3.5"));
  zero.failNext({ status: 400, body: { detail: "no" } });
  expect((await failureOf(() => search("zeroentropy:zerank-1"))).message).toBe("ZeroEntropy answered 400: no");
  expect(asked()).toEqual([...Array(4).fill("rerank-v3.5"), "zerank-1"]);
});

it("calls no private address unless the host allows it", async () => {
  const { handle, cohere } = await filled(() => ({ network: {} }));
  const error = await failureOf(() => handle.search("lamp", { mode: "keyword", rerankModel: "cohere:rerank-v3.5" }));
  expect(error.message).toMatch(/127\.0\.0\.1/);
  expect(cohere.requests).toEqual([]);
});

it("fails, or keeps the order and warns, if the vendor refuses", async () => {
  const { handle, cohere } = await filled(() => ({ rerankers: ["cohere"] }));
  cohere.failNext({ status: 401, body: { message: `invalid api token ${KEY}` } });
  const error = await failureOf(() => handle.search("lamp", { mode: "keyword" }));
  expect([error.code, error.retryable, error.message]).toEqual([
    "provider_failed",
    false,
    "Cohere answered 401: invalid api token ••••",
  ]);
  await kb.close();

  const forgiving = await filled(() => ({ rerankers: ["cohere"], rerankFailure: "keep-order" }));
  const warnings: string[] = [];
  using _listener = kb.on("warning", ({ message }) => warnings.push(message));
  forgiving.cohere.failNext({ status: 400, body: { message: "no" } });
  const hits = await forgiving.handle.search("lamp", { mode: "keyword" });
  expect(hits.map(({ text }) => text)).toEqual(TEXTS);
  expect(warnings).toEqual([expect.stringMatching(/cohere:rerank-v4\.0-pro failed.*Cohere answered 400: no/)]);
});
