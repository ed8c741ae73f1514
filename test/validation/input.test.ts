import { KnowledgeBase, KnowledgeBaseError, type NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { makeDocx, makeEncryptedOffice, makeEncryptedPdf, makePdf, wordParagraph } from "../support/make-files.js";

const kb = openKnowledgeBase();
let handle: NamespaceHandle;
beforeAll(async () => {
  handle = await newNamespace(kb);
});
afterAll(() => kb.close());

const TEXT = { type: "TEXT", text: "A lamp." } as const;
type Call = (input: never) => unknown;
const ingest: Call = (input: object) => handle.ingest(TEXT, input);
const search: Call = (input: object) => handle.search("lamp", input);
const create: Call = (payload: object) => handle.ingest(payload as never);
const job: Call = (input: object) => handle.ingestJobs.create({ payload: TEXT, ...input });

describe("an unknown key is named with the nearest known one:", () => {
  it.each<[string, object, string, string, string]>([
    ["the constructor", { direktory: "x" }, "input", "direktory", "directory"],
    ["the constructor's worker", { worker: { concurency: 1 } }, "worker", "concurency", "concurrency"],
    ["the constructor's limits", { limits: { parseTimeout: 1 } }, "limits", "parseTimeout", "parseTimeoutMs"],
  ])("%s", (_, options, field, key, near) => {
    try {
      new KnowledgeBase(options);
      throw new Error("the options were accepted");
    } catch (error) {
      expect(KnowledgeBaseError.is(error, "invalid_input")).toBe(true);
      expect((error as KnowledgeBaseError).issues.map((issue) => issue.field)).toEqual([field]);
      expect((error as KnowledgeBaseError).message).toContain(`unknown key "${key}"; did you mean "${near}"?`);
    }
  });

  it.each<[string, Call, object, string, string, string]>([
    [
      "namespaces.create",
      (input) => kb.namespaces.create(input),
      { name: "n", slug: "nn", embedingConfig: {} },
      "input",
      "embedingConfig",
      "embeddingConfig",
    ],
    ["ingest options", ingest, { chunksize: 64 }, "input", "chunksize", "chunkSize"],
    ["a job", job, { externalID: "x" }, "input", "externalID", "externalId"],
    [
      "a job's config",
      job,
      { config: { keepPageHeaderInOutput: true } },
      "config",
      "keepPageHeaderInOutput",
      "keepPageheaderInOutput",
    ],
    ["a text", create, { ...TEXT, filename: "a.md" }, "payload", "filename", "fileName"],
    ["a crawl", create, { type: "CRAWL", url: "https://a.example", maxdepth: 2 }, "payload", "maxdepth", "maxDepth"],
    [
      "a batch item",
      create,
      { type: "BATCH", items: [TEXT, { ...TEXT, fileNam: "a" }] },
      "payload.items[1]",
      "fileNam",
      "fileName",
    ],
    [
      "a batch item's config",
      create,
      { type: "BATCH", items: [{ ...TEXT, config: { delimeter: "--" } }] },
      "payload.items[0].config",
      "delimeter",
      "delimiter",
    ],
    ["search options", search, { topk: 3 }, "input", "topk", "topK"],
    ["list options of jobs", (input) => handle.ingestJobs.list(input), { perpage: 3 }, "input", "perpage", "perPage"],
    [
      "list options of documents",
      (input) => handle.documents.list(input),
      { ingestJobID: "x" },
      "input",
      "ingestJobID",
      "ingestJobId",
    ],
    ["list options of namespaces", (input) => kb.namespaces.list(input), { ordr: "asc" }, "input", "ordr", "order"],
    [
      "an upload",
      (input) => handle.uploads.create(input),
      { fileName: "a.txt", contentType: "text/plain", filesize: 3, fileSize: 3 },
      "input",
      "filesize",
      "fileSize",
    ],
    [
      "one of a batch of uploads",
      (input) => handle.uploads.createBatch([input]),
      { fileName: "a.txt", contenttype: "x", contentType: "text/plain", fileSize: 3 },
      "files[0]",
      "contenttype",
      "contentType",
    ],
  ])("%s", async (_, call, input, field, key, near) => {
    const error = await failureOf(() => call(input as never));
    expect(error.code).toBe("invalid_input");
    expect(error.issues.map((issue) => issue.field)).toEqual([field]);
    expect(error.message).toContain(`unknown key "${key}"; did you mean "${near}"?`);
  });

  it("lists the known ones where none is near, and refuses __proto__ as any other", async () => {
    expect((await failureOf(() => search({ zzz: 1 } as never))).message).toMatch(
      /unknown key "zzz"; known: query, mode, topK/,
    );
    for (const call of [ingest, search, job]) {
      expect((await failureOf(() => call(JSON.parse('{"__proto__":{"x":1}}') as never))).message).toContain(
        '"__proto__"',
      );
    }
  });
});

describe("a value that breaks a rule is named with its field and the rule:", () => {
  it.each<[Call, object, string, RegExp]>([
    [ingest, { chunkSize: 100, chunkOverlap: 100 }, "chunkOverlap", /below chunkSize: 100 is not below 100/],
    [ingest, { chunkOverlap: 2048 }, "chunkOverlap", /2048 is not below 2048/],
    [ingest, { maxChunkSize: 500, chunkOverlap: 500 }, "chunkOverlap", /500 is not below 500/],
    [ingest, { chunkSize: 100, maxChunkSize: 99 }, "maxChunkSize", /at least chunkSize: 99 is below 100/],
    [ingest, { chunkSize: 31 }, "chunkSize", />=32.*got 31/],
    [ingest, { chunkSize: 65_537 }, "chunkSize", /<=65536.*got 65537/],
    [ingest, { chunkSize: 64.5 }, "chunkSize", /int.*got 64.5/],
    [ingest, { chunkOverlap: -1 }, "chunkOverlap", />=0.*got -1/],
    [ingest, { maxChunkSize: 31 }, "maxChunkSize", />=32.*got 31/],
    [ingest, { languageCode: "english!" }, "languageCode", /language tag such as en/],
    [ingest, { mode: "quick" }, "mode", /"fast"\|"balanced"\|"accurate".*got "quick"/],
    [ingest, { delimiter: "" }, "delimiter", />=1/],
    [job, { config: { chunkSize: 50, chunkOverlap: 60 } }, "config.chunkOverlap", /60 is not below 50/],
    [create, { type: "TEXT", text: "" }, "payload.text", />=1.*got ""/],
    [create, { type: "TEXT" }, "payload.text", /expected string/],
    [create, { type: "NOTE", text: "x" }, "payload.type", /'TEXT'.*got "NOTE"/],
    [create, { type: "BATCH", items: [] }, "payload.items", />=1/],
    [create, { type: "BATCH", items: Array.from({ length: 1_001 }, () => TEXT) }, "payload.items", /<=1000/],
    [
      create,
      { type: "BATCH", items: [{ type: "CRAWL", url: "https://a.example" }] },
      "payload.items[0].type",
      /got "CRAWL"/,
    ],
    [create, { type: "FILE", fileUrl: "file:///etc/passwd" }, "payload.fileUrl", /http or https/],
    [
      create,
      { type: "CRAWL", url: "https://a.example", includePaths: ["docs"] },
      "payload.includePaths[0]",
      /begin with \//,
    ],
    [create, { type: "CRAWL", url: "https://a.example", headers: { "a b": "c" } }, "payload.headers.a b", /./],
    [create, { type: "YOUTUBE", urls: [] }, "payload.urls", />=1/],
    [create, { file: "no-such-file.txt" }, "file", /no-such-file/],
    [create, { files: "no-such-folder/*.md" }, "files", /no-such-folder/],
    [create, {}, "payload", /\{ file \}/],
    [search, { topK: 0 }, "topK", />=1.*got 0/],
    [search, { topK: 101 }, "topK", /<=100.*got 101/],
    [search, { rerankLimit: 101 }, "rerankLimit", /<=100/],
    [search, { minScore: 1.1 }, "minScore", /<=1.*got 1.1/],
    [search, { mode: "fuzzy" }, "mode", /got "fuzzy"/],
    [search, { filter: "year = 1" }, "filter", /object of conditions/],
    [search, { filter: { year: { $near: 1 } } }, "filter.year.$near", /unknown operator/],
    [(query) => handle.search(query), "x".repeat(8_001) as never, "query", /<=8000/],
    [(input) => handle.ingestJobs.list(input), { perPage: 101 }, "perPage", /<=100/],
    [(input) => handle.ingestJobs.list(input), { statuses: ["DONE"] }, "statuses[0]", /"COMPLETED".*got "DONE"/],
  ])("%#: %j", async (call, input, field, rule) => {
    const error = await failureOf(() => call(input as never));
    expect(error.code).toBe("invalid_input");
    expect(error.issues[0]?.field).toBe(field);
    expect(error.issues[0]?.message).toMatch(rule);
    expect(error.message).toContain(field);
  });

  it("names every field at once", async () => {
    const error = await failureOf(() => search({ topK: 0, minScore: 2, mode: "x" } as never));
    expect(error.issues.map(({ field }) => field).toSorted()).toEqual(["minScore", "mode", "topK"]);
  });

  it("names ten fields in the message, and all in its issues", async () => {
    const items = Array.from({ length: 12 }, () => ({ ...TEXT, metadata: {} }));
    const error = await failureOf(() => handle.ingest({ type: "BATCH", items } as never));
    expect(error.issues).toHaveLength(12);
    expect(error.message).toContain("items[9]");
    expect(error.message).not.toContain("items[10]");
    expect(error.message).toMatch(/; 2 more$/);
  });

  it("holds an item's config to the rules together with its job's", async () => {
    const item = { ...TEXT, config: { chunkSize: 64 } };
    const payload = { type: "BATCH", items: [TEXT, item] } as const;
    const error = await failureOf(() => handle.ingestJobs.create({ payload, config: { chunkOverlap: 64 } }));
    expect(error.message).toMatch(/^payload\.items\[1\]\.config\.chunkOverlap: .*64 is not below 64/);
  });

  it("shows no secret of a payload of an unknown kind", async () => {
    const error = await failureOf(() => create({ type: "CRAWLER", headers: { authorization: "Bearer abc" } } as never));
    expect(error.message).toContain('"CRAWLER"');
    expect(error.message).not.toContain("abc");
  });
});

describe("metadata", () => {
  const withMetadata = (metadata: unknown) => failureOf(() => handle.ingest(TEXT, { metadata: metadata as never }));
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const wide = (bytes: number) => ({ text: "x".repeat(bytes - '{"text":""}'.length) });

  it.each<[string, unknown, string, RegExp]>([
    ["101 keys", keys(101), "metadata", /101 keys; the maximum is 100/],
    ["6 levels", nested(6), "metadata.a", /nested deeper than 5/],
    ["thousands of levels", nested(5_000), "metadata.a", /nested deeper than 5/],
    ["more than 64 KB", wide(64 * 1024 + 1), "metadata", /65537 bytes as JSON; the maximum is 65536/],
    ["no JSON", { when: new Date(0) }, "metadata.when", /not a JSON value/],
    ["no number", { deep: [{ n: Number.NaN }] }, "metadata.deep[0].n", /not a JSON value/],
    ["nothing", { gone: undefined }, "metadata.gone", /not a JSON value/],
    ["a list", ["a"], "metadata", /object of keys/],
    ["a key of half a character", { "\ud800": 1 }, "metadata", /well-formed Unicode/],
    ...["documentId", "namespaceId", "tenantId", "sequence_number", "page_number"].map(
      (key): [string, unknown, string, RegExp] => [key, { [key]: 1 }, `metadata.${key}`, /the engine sets itself/],
    ),
  ])("refuses %s", async (_, metadata, field, rule) => {
    const error = await withMetadata(metadata);
    expect([error.code, error.issues[0]?.field]).toEqual(["invalid_input", field]);
    expect(error.issues[0]?.message).toMatch(rule);
  });

  it("takes what is just within the limits, item by item and merged", async () => {
    for (const metadata of [keys(100), nested(5), wide(64 * 1024)])
      await handle.ingest(TEXT, { metadata: metadata as never });
    const other = Object.fromEntries(Object.entries(keys(60)).map(([key, value]) => [`other ${key}`, value]));
    const payload = { type: "BATCH", items: [{ ...TEXT, config: { metadata: other } }] } as const;
    await handle.ingestJobs.create({ payload, config: { metadata: keys(40) } });
    const error = await failureOf(() => handle.ingestJobs.create({ payload, config: { metadata: keys(41) } }));
    expect(error.message).toMatch(/^payload\.items\[0\]\.config\.metadata: .*101 keys/);
  });

  it("keeps a key named __proto__ as any other, and hands it to nobody else", async () => {
    const space = await newNamespace(kb);
    const metadata = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":"x"}}');
    const item = { ...TEXT, text: "Another lamp.", config: { metadata: JSON.parse('{"__proto__":"item"}') } };
    await (await space.ingest(TEXT, { metadata })).done();
    await (await space.ingest({ type: "BATCH", items: [item] }, { metadata })).done();
    const shown = (await space.search("lamp")).map((hit) => JSON.stringify(Object.entries(hit.metadata!)));
    expect(
      shown.some((text) => text.includes('["__proto__",{"polluted":true}]') && text.includes('{"__proto__":"x"}')),
    ).toBe(true);
    expect(shown.some((text) => text.includes('["__proto__","item"]'))).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBe(undefined);
    const headers = JSON.parse('{"__proto__":"x"}');
    const error = await failureOf(() => space.ingest({ type: "CRAWL", url: "https://a.example", headers }));
    expect(error.issues[0]).toMatchObject({ field: "payload.headers", message: expect.stringContaining("__proto__") });
  });
});

it("a file that cannot be read fails alone, with its reason; the others of the batch are found", async () => {
  const space = await newNamespace(kb);
  const pdf = await makePdf([[{ text: "A lamp on paper", x: 50, y: 80 }]]);
  const broken: Record<string, readonly [Uint8Array, RegExp]> = {
    "truncated.pdf": [pdf.slice(0, pdf.length >> 1), /./],
    "locked.pdf": [await makeEncryptedPdf(), /password|encrypted/i],
    "locked.docx": [makeEncryptedOffice(), /password|encrypted/i],
    "empty.txt": [new Uint8Array(), /empty/i],
    "empty.pdf": [new Uint8Array(), /empty/i],
    "really-zip.pdf": [makeDocx(wordParagraph("No PDF")).slice(0, 300), /./],
    "picture.txt": [Buffer.from("89504e470d0a1a0a0000000d49484452000000ff00ff", "hex"), /./],
  };
  const good = ["lamp.pdf", "lamp.txt", "lamp.docx", "no-word.docx"];
  const files = [
    { name: good[0]!, body: pdf },
    ...Object.entries(broken).map(([name, [body]]) => ({ name, body })),
    { name: good[1]!, body: Buffer.from("A lamp in text") },
    { name: good[2]!, body: makeDocx(wordParagraph("A lamp in Word")) },
    { name: good[3]!, body: Buffer.from("A lamp, but no archive") },
  ];
  const end = await (await space.ingest({ files })).done();
  expect(end.status).toBe("FAILED");
  expect(end.error).toMatch(new RegExp(`${Object.keys(broken).length} of ${files.length} documents failed`));
  expect(end.counts.documents).toEqual({
    total: files.length,
    completed: good.length,
    failed: Object.keys(broken).length,
  });
  const documents = (await space.documents.list({ perPage: 100 })).items;
  for (const [name, [, reason]] of Object.entries(broken)) {
    const found = documents.find((document) => document.name === name)!;
    expect([name, found.status]).toEqual([name, "FAILED"]);
    expect(found.error).toMatch(reason);
    expect(found.failedAt).not.toBe(null);
  }
  const renamed = documents.find(({ name }) => name === "no-word.docx")!;
  expect(renamed.warnings).toEqual([expect.stringMatching(/not what its name says: it is plain text/)]);
  const hits = await space.search("lamp", { mode: "keyword" });
  expect(hits.map(({ metadata }) => metadata?.filename).toSorted()).toEqual(good.toSorted());
});

it("files are stored beside each other, and stay in their order", async () => {
  let resolve = () => {};
  const secondIsRead = new Promise<void>((done) => {
    resolve = done;
  });
  async function* first() {
    await secondIsRead;
    yield Buffer.from("The first.");
  }
  async function* second() {
    resolve();
    yield Buffer.from("The second.");
  }
  const bodies = [first(), second()];
  const files = ["first.txt", "second.txt"].map((name, at) => ({ name, body: ReadableStream.from(bodies[at]!) }));
  const { payload } = await (await handle.ingest({ files })).done();
  expect(payload).toMatchObject({ items: [{ fileName: "first.txt" }, { fileName: "second.txt" }] });
});
